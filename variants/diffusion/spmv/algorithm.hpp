// SPDX-License-Identifier: BSD-3-Clause
// spmv: applies the step as a sparse matrix, I - alpha Lap Lap of one periodic plane with 13 entries a row,
// to one plane after the other, as a library user would without a kernel. Limit: offsets of entries have 32
// bits. Error: that of the 13-point sum.
#pragma once
#include "diffusion/variant.hpp"

namespace parity::diffusion::spmv {

inline double matrix_bytes(const Problem& p) {
  return double(p.nx) * double(p.ny) * (13.0 * (double(runtime::bytes_of(p.precision)) + 4.0) + 4.0);
}

/// One launch per plane; each reads the matrix again.
inline Entry algorithm() {
  Entry e;
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (13.0 * double(p.nx) * double(p.ny) > 2147483647.0)
      return "more than 2^31 - 1 matrix entries: its offsets have 32 bits";
    return std::nullopt;
  };
  e.extra_bytes = matrix_bytes;
  e.model = [](const Problem& p) {
    const double matrix_words =
        matrix_bytes(p) / double(runtime::bytes_of(p.precision)) / double(p.nx * p.ny);
    return cost_per_step(p, double(p.nz), 2 + matrix_words, 26);
  };
  return e;
}

}  // namespace parity::diffusion::spmv
