// SPDX-License-Identifier: BSD-3-Clause
// Index arithmetic of the periodic halo. A padded axis has h halo points, n interior points, h halo points.
#pragma once
#include "host_device.hpp"

namespace parity::diffusion {

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

/// The n-th halo cell: first the bottom and top rows over the full width, then what the left and right
/// columns have left. Each reads the interior only, so that all can be written in any order, by one launch.
template <class I>
PARITY_INLINE HaloCell<I> halo_cell(I n, I nx, I ny, I h) {
  const I pitch = nx + 2 * h, in_rows = 2 * h * pitch;
  I j, i;
  if (n < in_rows) {
    j = halo_coordinate(n / pitch, ny, h);
    i = n % pitch;
  } else {
    const I m = n - in_rows;
    j = h + m / (2 * h);
    i = halo_coordinate(m % (2 * h), nx, h);
  }
  return {j, i, periodic_source(j, ny, h), periodic_source(i, nx, h)};
}

}  // namespace parity::diffusion
