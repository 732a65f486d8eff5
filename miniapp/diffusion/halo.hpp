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

}  // namespace parity::diffusion
