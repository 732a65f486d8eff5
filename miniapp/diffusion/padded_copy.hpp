// SPDX-License-Identifier: BSD-3-Clause
// Moves fields between the caller's interior layout and a variant's padded layout, on the host.
#pragma once
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
void gather_with_halo(const Problem& p, std::int64_t from_pitch, const T* field, T* padded) {
  const std::int64_t nx = p.nx, ny = p.ny, h = p.halo, rows = p.nz * p.rows(), pitch = p.pitch();
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t z = r / p.rows(), j = wrap(r % p.rows() - h, ny);
    const T* source = field + (z * ny + j) * from_pitch;
    T* row = padded + r * pitch;
    for (std::int64_t i = 0; i < pitch; ++i) row[i] = source[wrap(i - h, nx)];
  }
}

/// The interior (nz, ny, nx) of a field with 'pad' points around each plane and rows of 'pitch' points.
template <class T>
void gather_interior(const Problem& p, std::int64_t pad, std::int64_t pitch, const T* from, T* field) {
  const std::int64_t rows = p.nz * p.ny;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* source = from + ((r / p.ny) * (p.ny + 2 * pad) + r % p.ny + pad) * pitch + pad;
    for (std::int64_t i = 0; i < p.nx; ++i) field[r * p.nx + i] = source[i];
  }
}

/// The interior (nz, ny, nx) of a padded field (nz, ny+2h, nx+2h).
template <class T>
void extract_interior(const Problem& p, const T* padded, T* field) {
  gather_interior(p, p.halo, p.pitch(), padded, field);
}

}  // namespace parity::diffusion
