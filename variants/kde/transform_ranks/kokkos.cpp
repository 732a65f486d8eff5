// SPDX-License-Identifier: BSD-3-Clause
// transform_ranks, Kokkos: evaluates the fast Gauss transform of samples that ranks share. Each rank computes
// the moments of its own in fixed point, and all ranks add them: any number of ranks gives the same bits.
#include "backend/kokkos/kde/transform_sum.hpp"

namespace parity::kde::transform_ranks {
namespace {

template <class T>
using OfAllRanks = Transform<T, Moments::of_all_ranks>;

}  // namespace

Entry kokkos() {
  Entry e = transform_entry();
  e.ranks = Ranks::several;
  e.launches += compat::exec_is_device() ? 1 : 0;
  e.extra_bytes = [](const Problem& p) {
    return transform_bytes(plan_of(p),
                           compat::exec_is_device() ? 2 : 2 * double(compat::concurrency(Exec())));
  };
  return with_prepared_sum<OfAllRanks>(e, "ends, boxes, tables and series");
}

}  // namespace parity::kde::transform_ranks
