// SPDX-License-Identifier: BSD-3-Clause
// Distribution of a problem's samples, which are also its queries, over the ranks.
#pragma once
#include "kde/problem.hpp"
#include "kde/tile_sum.hpp"
#include "runtime/messages.hpp"
#include "runtime/share.hpp"

namespace parity::kde {

/// A rank gets whole flushes of a direct sum, so a flush is the same for any number of ranks.
inline runtime::Share samples_of(const Problem& p, std::int64_t rank) {
  return runtime::share_of_units(p.n, flush_packs * pack_width, p.ranks, rank);
}
inline runtime::Share own_samples(const Problem& p) {
  return samples_of(p, p.ranks > 1 ? runtime::rank_info().rank : 0);
}
/// The rank's own samples as a problem of one process. Its norm is not that of the whole problem.
inline Problem own_part(Problem p) {
  p.n = own_samples(p).size;
  p.ranks = 1;
  return p;
}

}  // namespace parity::kde
