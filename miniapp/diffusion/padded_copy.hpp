// SPDX-License-Identifier: BSD-3-Clause
// Moves fields between the caller's interior layout and a variant's padded layout, on the host.
#pragma once
#include <algorithm>

#include "diffusion/halo.hpp"
#include "diffusion/problem.hpp"

namespace parity::diffusion {

/// Copies field (nz, ny, nx) into the interior of padded (nz, ny+2 pad.y, pitch), pitch at least nx+2 pad.x;
/// sets the rest to NaN.
template <class T>
void scatter_interior(const Problem& p, const Margin& pad, std::int64_t pitch, const T* field, T* padded) {
  const std::int64_t nx = p.nx, ny = p.ny, height = ny + 2 * pad.y, rows = p.nz * height;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t z = r / height, j = r % height - pad.y;
    T* row = padded + r * pitch;
    if (j < 0 || j >= ny) {
      for (std::int64_t i = 0; i < pitch; ++i) row[i] = poison<T>;
      continue;
    }
    for (std::int64_t i = 0; i < pad.x; ++i) row[i] = poison<T>;
    for (std::int64_t i = pad.x + nx; i < pitch; ++i) row[i] = poison<T>;
    const T* source = field + (z * ny + j) * nx;
    for (std::int64_t i = 0; i < nx; ++i) row[pad.x + i] = source[i];
  }
}

/// Copies a result without halo (nz, ny, from_pitch) into (nz, ny+2h, nx+2h) with its periodic halo.
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

/// Copies a field (nz, ny+2 pad.y, pitch) with 'pad' points around each plane into (nz, ny+2h, nx+2h), with
/// the nearest 'own' of these points; 'own' is at most pad and h, and 0 copies the interior.
template <class T>
void gather_around(const Problem& p, const Margin& pad, std::int64_t pitch, const T* from, const Margin& own,
                   std::int64_t h, T* to) {
  const std::int64_t height = p.ny + 2 * own.y, width = p.nx + 2 * own.x, rows = p.nz * height;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t k = r / height, j = r % height - own.y;
    const T* const source = from + (k * (p.ny + 2 * pad.y) + j + pad.y) * pitch + pad.x - own.x;
    T* const row = to + (k * (p.ny + 2 * h) + j + h) * (p.nx + 2 * h) + h - own.x;
    for (std::int64_t i = 0; i < width; ++i) row[i] = source[i];
  }
}

/// Fills the halo of a result (nz, ny+2h, nx+2h) from its interior, on axes without an 'own' halo.
template <class T>
void fill_halo(const Problem& p, std::int64_t h, T* padded, const Margin& own = 0) {
  if (own.y == h && own.x == h) return;
  const std::int64_t side = h - own.x;
  const std::int64_t nx = p.nx, ny = p.ny, height = ny + 2 * h, rows = p.nz * height, pitch = nx + 2 * h;
#pragma omp parallel for
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t j = r % height, from = own.y == h ? j : periodic_source(j, ny, h);
    T* const row = padded + r * pitch;
    const T* const source = row + (from - j) * pitch;
    // Interior rows (from == j) are not rewritten, because another thread may read them.
    if (from != j) std::copy(source + side, source + pitch - side, row + side);
    for (std::int64_t c = 0; c < 2 * side; ++c) {
      const std::int64_t i = halo_coordinate(c, nx, h);
      row[i] = source[periodic_source(i, nx, h)];
    }
  }
}

/// gather_around() with the field's halo, or with the periodic one on axes without a halo (pad 0).
template <class T>
void gather_padded(const Problem& p, const Margin& pad, std::int64_t pitch, const T* from, std::int64_t h,
                   T* padded) {
  if (pad.y == 0 && pad.x == 0 && h > 0) return gather_with_halo(p, pitch, from, h, padded);
  const Margin own = pad.least(h);
  gather_around(p, pad, pitch, from, own, h, padded);
  fill_halo(p, h, padded, own);
}

/// The interior (nz, ny, nx) of a padded field (nz, ny+2h, nx+2h).
template <class T>
void extract_interior(const Problem& p, const T* padded, T* field) {
  gather_around(p, p.halo, p.pitch(), padded, 0, 0, field);
}

}  // namespace parity::diffusion
