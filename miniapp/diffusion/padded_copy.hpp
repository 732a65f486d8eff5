// SPDX-License-Identifier: BSD-3-Clause
// Moves fields between the caller's interior layout and a variant's padded layout, on the host.
#pragma once
#include <algorithm>

#include "diffusion/halo.hpp"
#include "diffusion/problem.hpp"

namespace parity::diffusion {

/// field (nz, ny, nx) into the interior of padded (nz, ny+2pad, pitch), pitch at least nx+2pad; everything
/// around it becomes NaN.
template <class T>
void scatter_interior(const Problem& p, std::int64_t pad, std::int64_t pitch, const T* field, T* padded) {
  const std::int64_t nx = p.nx, ny = p.ny, height = ny + 2 * pad, rows = p.nz * height;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t z = r / height, j = r % height - pad;
    T* row = padded + r * pitch;
    if (j < 0 || j >= ny) {
      for (std::int64_t i = 0; i < pitch; ++i) row[i] = poison<T>;
      continue;
    }
    for (std::int64_t i = 0; i < pad; ++i) row[i] = poison<T>;
    for (std::int64_t i = pad + nx; i < pitch; ++i) row[i] = poison<T>;
    const T* source = field + (z * ny + j) * nx;
    for (std::int64_t i = 0; i < nx; ++i) row[pad + i] = source[i];
  }
}

/// A result without halo (nz, ny, from_pitch) into (nz, ny+2h, nx+2h) with its periodic halo.
template <class T>
void gather_with_halo(const Problem& p, std::int64_t from_pitch, const T* field, std::int64_t h, T* padded) {
  const std::int64_t nx = p.nx, ny = p.ny, height = ny + 2 * h, rows = p.nz * height, pitch = nx + 2 * h;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t z = r / height, j = wrap(r % height - h, ny);
    const T* source = field + (z * ny + j) * from_pitch;
    T* row = padded + r * pitch;
    for (std::int64_t i = 0; i < pitch; ++i) row[i] = source[wrap(i - h, nx)];
  }
}

/// A field (nz, ny+2pad, pitch) with 'pad' points around each plane into (nz, ny+2h, nx+2h): with the nearest
/// h of them, pad at least h; 0 of them is the interior.
template <class T>
void gather_around(const Problem& p, std::int64_t pad, std::int64_t pitch, const T* from, std::int64_t h,
                   T* to) {
  const std::int64_t height = p.ny + 2 * h, width = p.nx + 2 * h, rows = p.nz * height, less = pad - h;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* source = from + ((r / height) * (p.ny + 2 * pad) + r % height + less) * pitch + less;
    for (std::int64_t i = 0; i < width; ++i) to[r * width + i] = source[i];
  }
}

/// The halo of a result (nz, ny+2h, nx+2h) from its interior.
template <class T>
void fill_halo(const Problem& p, std::int64_t h, T* padded) {
  const std::int64_t nx = p.nx, ny = p.ny, height = ny + 2 * h, rows = p.nz * height, pitch = nx + 2 * h;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t j = r % height, from = periodic_source(j, ny, h);
    T* const row = padded + r * pitch;
    const T* const source = row + (from - j) * pitch;
    // Row j of its own interior stays: another thread may read it.
    if (from != j) std::copy(source + h, source + h + nx, row + h);
    for (std::int64_t c = 0; c < 2 * h; ++c) {
      const std::int64_t i = halo_coordinate(c, nx, h);
      row[i] = source[periodic_source(i, nx, h)];
    }
  }
}

/// A field as gather_around takes it, with its own halo, or with the periodic one where it has none (pad 0).
template <class T>
void gather_padded(const Problem& p, std::int64_t pad, std::int64_t pitch, const T* from, std::int64_t h,
                   T* padded) {
  pad == 0 && h > 0 ? gather_with_halo(p, pitch, from, h, padded)
                    : gather_around(p, pad, pitch, from, h, padded);
}

/// The interior (nz, ny, nx) of a padded field (nz, ny+2h, nx+2h).
template <class T>
void extract_interior(const Problem& p, const T* padded, T* field) {
  gather_around(p, p.halo, p.pitch(), padded, 0, field);
}

}  // namespace parity::diffusion
