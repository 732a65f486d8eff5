// SPDX-License-Identifier: BSD-3-Clause
// Index arithmetic of the periodic halo. A padded axis has h halo points, n interior points, h halo points.
#pragma once
#include <cstdint>

#include "host_device.hpp"

namespace parity::diffusion {

/// Points around planes: rows above and below, columns before and behind.
struct Margin {
  std::int64_t y, x;
  PARITY_INLINE Margin(std::int64_t both) : y(both), x(both) {}
  PARITY_INLINE Margin(std::int64_t rows, std::int64_t columns) : y(rows), x(columns) {}
  /// 'most' points on each axis that has a margin, 0 on the others.
  PARITY_INLINE Margin least(std::int64_t most) const { return {y > 0 ? most : 0, x > 0 ? most : 0}; }
};

/// Padded coordinate of the k-th of the 2h halo points of an axis: first the low side, then the high side.
template <class I>
PARITY_INLINE I halo_coordinate(I k, I n, I h) {
  return k < h ? k : n + k;
}

/// Padded coordinate of the interior point that a padded coordinate repeats. Needs n >= h.
template <class I>
PARITY_INLINE I periodic_source(I p, I n, I h) {
  return p < h ? p + n : (p >= n + h ? p - n : p);
}

/// Interior coordinate i wrapped into [0, n), for i in [-n, 2n).
template <class I>
PARITY_INLINE I wrap(I i, I n) {
  return i < 0 ? i + n : (i >= n ? i - n : i);
}

/// The same for any i, by a division.
template <class I>
PARITY_INLINE I modulo(I i, I n) {
  const I rest = i % n;
  return rest < 0 ? rest + n : rest;
}

/// A halo cell of a padded plane and the interior cell it repeats, corners included.
template <class I>
struct HaloCell {
  I row, column, from_row, from_column;
};

/// Halo cells of a padded plane (ny+2h, nx+2h).
template <class I>
PARITY_INLINE I halo_cells(I nx, I ny, I h) {
  return 2 * h * (nx + 2 * h) + 2 * h * ny;
}

/// n / divisor by the language's operator; interchangeable with runtime::FastDivide.
template <class I>
struct PlainDivide {
  I divisor;
  PARITY_INLINE I operator()(I n) const { return n / divisor; }
};

/// The n-th halo cell: first the bottom and top rows over the full width, then the rest of the left and right
/// columns. Each reads the interior only, so that one launch can write all of them in any order.
/// by_pitch and by_sides divide by nx + 2h and by 2h.
template <class I, class Divide>
PARITY_INLINE HaloCell<I> halo_cell(I n, I nx, I ny, I h, const Divide& by_pitch, const Divide& by_sides) {
  const I pitch = nx + 2 * h, in_rows = 2 * h * pitch;
  I j, i;
  if (n < in_rows) {
    const I row = I(by_pitch(n));
    j = halo_coordinate(row, ny, h);
    i = n - row * pitch;
  } else {
    const I m = n - in_rows, row = I(by_sides(m));
    j = h + row;
    i = halo_coordinate(m - row * 2 * h, nx, h);
  }
  return {j, i, periodic_source(j, ny, h), periodic_source(i, nx, h)};
}
template <class I>
PARITY_INLINE HaloCell<I> halo_cell(I n, I nx, I ny, I h) {
  return halo_cell(n, nx, ny, h, PlainDivide<I>{nx + 2 * h}, PlainDivide<I>{2 * h});
}

}  // namespace parity::diffusion
