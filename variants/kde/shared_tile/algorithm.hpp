// SPDX-License-Identifier: BSD-3-Clause
// shared_tile: one thread per query; the threads of a block or team stage samples from memory in shared
// memory or scratch, and each uses them there; the library's exp. n^2 exponentials and 7 n^2 operations in
// one launch, which reads the samples n / block width times. Sums of 256 terms are flushed to double.
#pragma once
#include "kde/refusals.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::kde::shared_tile {

inline Entry algorithm() {
  Entry e;
  e.refuse += refuse_wide_blocks;
  return e;
}

}  // namespace parity::kde::shared_tile
