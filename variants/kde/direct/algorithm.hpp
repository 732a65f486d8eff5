// SPDX-License-Identifier: BSD-3-Clause
// direct: each query adds the terms of all samples, read from memory, with the library's exp. It is DeRosa's
// loop (section 1.2 of that work, variants/ORIGINAL_WORKS.md) with the sum in a register and a product in
// place of the division. n^2 exponentials and 7 n^2 operations in one launch. First versions have one running
// sum in the data's precision and refuse problems whose error bound would hide a wrong constant; the others
// flush sums of 256 terms to double.
#pragma once
#include "kde/refusals.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::kde::direct {

/// For variants that flush their sums to double.
inline Entry algorithm() { return Entry(); }

/// For variants with one running sum per query, or per thread of a team.
inline Entry plain_algorithm() {
  Entry e = algorithm();
  e.accuracy = Accuracy::plain_sum;
  e.refuse += refuse_running_sum;
  return e;
}

}  // namespace parity::kde::direct
