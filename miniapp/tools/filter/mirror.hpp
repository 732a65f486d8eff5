// SPDX-License-Identifier: BSD-3-Clause
// Closed edges, over which nothing flows. A plane beside its even mirror image (half-sample symmetry: the
// edge lies between a point and its image) is a period of a plane that is periodic. Every difference over the
// edge is one of a value and itself, and both Laplacians keep the symmetry, so that the periodic filter of
// that plane is the closed filter of this one: exactly in exact arithmetic, and up to rounding with any
// kernel.
#pragma once
#include <algorithm>
#include <cstdint>

#include "diffusion/problem.hpp"

namespace parity::filter {

/// The axes whose edges are closed: planes are twice as long there.
struct Mirror {
  bool x = false, y = false;

  int copies() const { return (x ? 2 : 1) * (y ? 2 : 1); }
  diffusion::Problem of(diffusion::Problem p) const {
    p.nx *= x ? 2 : 1;
    p.ny *= y ? 2 : 1;
    return p;
  }
  /// Planes (nz, ny, nx) and their images.
  template <class T>
  void unfold(const T* planes, std::int64_t nz, std::int64_t ny, std::int64_t nx, T* mirrored) const {
    const std::int64_t rows = y ? 2 * ny : ny, pitch = x ? 2 * nx : nx;
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < nz * rows; ++r) {
      const std::int64_t j = r % rows;
      const T* const row = planes + (r / rows * ny + (j < ny ? j : 2 * ny - 1 - j)) * nx;
      std::copy(row, row + nx, mirrored + r * pitch);
      if (x) std::reverse_copy(row, row + nx, mirrored + r * pitch + nx);
    }
  }
  /// The planes without their images.
  template <class T>
  void fold(const T* mirrored, std::int64_t nz, std::int64_t ny, std::int64_t nx, T* planes) const {
    const std::int64_t rows = y ? 2 * ny : ny, pitch = x ? 2 * nx : nx;
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < nz * ny; ++r) {
      const T* const row = mirrored + (r / ny * rows + r % ny) * pitch;
      std::copy(row, row + nx, planes + r * nx);
    }
  }
};

}  // namespace parity::filter
