// SPDX-License-Identifier: BSD-3-Clause
// symmetric: each unordered pair of samples once (kde/symmetric.hpp). A thread keeps R queries of a tile and
// their sums in registers; the other tile's sums wait in fast memory, four to a thread, and in step s thread
// t adds to those of thread t + s: no two threads ever touch the same place. Sums over threads and teams are
// added in fixed point, which no order changes: always the same bits. n^2 / 2 exponentials and 4 n^2
// operations; float only, up to 2^22 samples.
#pragma once
#include "kde/refusals.hpp"
#include "kde/symmetric.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

namespace symmetric {
inline Entry algorithm() {
  Entry e;
  e.exponentials = 0.5;
  e.operations = 4;
  e.chain = symmetric_additions;
  e.refuse = refuse_symmetric;
  return e;
}
}  // namespace symmetric

}  // namespace parity::kde
