// SPDX-License-Identifier: BSD-3-Clause
// Packs of 16 bytes, which GPUs load and store at once.
#pragma once
#include "diffusion/problem.hpp"

namespace parity::diffusion {

/// Whether the columns of a plane fill them.
inline bool fills_packs(std::int64_t nx, Precision precision) {
  return nx * std::int64_t(runtime::bytes_of(precision)) % 16 == 0;
}

}  // namespace parity::diffusion
