// SPDX-License-Identifier: BSD-3-Clause
// Closed edges: nothing flows across them. A plane and its even mirror image (half-sample symmetry: the edge
// lies between a point and its image) form one period of a periodic plane. Every difference across the edge
// is zero, and both Laplacians keep the symmetry. The periodic filter of the mirrored plane is thus the
// closed filter of this plane: exactly in exact arithmetic, and up to rounding with any kernel.
#pragma once
#include <algorithm>
#include <cstdint>

#include "diffusion/problem.hpp"

namespace parity::filter {

/// Axes with closed edges; mirrored planes are twice as long along them.
struct Mirror {
  bool x = false, y = false;

  int copies() const { return (x ? 2 : 1) * (y ? 2 : 1); }
  diffusion::Problem of(diffusion::Problem p) const {
    p.nx *= x ? 2 : 1;
    p.ny *= y ? 2 : 1;
    return p;
  }
  /// Copies planes (nz, ny, nx) and adds their mirror images.
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
  /// Copies the planes without their images.
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
