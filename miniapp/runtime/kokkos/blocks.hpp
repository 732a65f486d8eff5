// SPDX-License-Identifier: BSD-3-Clause
// Launches of thread blocks with a given block size, without a team.
#pragma once
#include <cstdint>

#include "kokkos_compat.hpp"

namespace parity::compat {

/// A policy of 'blocks' blocks of 'threads' threads (at most 'most'), with at least 'least' blocks resident
/// on a multiprocessor (1: no bound). The functor gets its thread number, from 0 to blocks * threads - 1, and
/// a second index to ignore. The policy is an MDRange, because its tile is the block: a RangePolicy searches
/// for a block size in each launch (Kokkos issue 3307), a TeamPolicy adds a league loop and scratch locks.
template <int most, unsigned least, class Index>
auto blocks_of_threads(const Exec& exec, std::int64_t blocks, int threads) {
  return Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::LaunchBounds<unsigned(most), least>,
                               Kokkos::IndexType<Index>>(exec, {std::int64_t(0), std::int64_t(0)},
                                                         {blocks * threads, std::int64_t(1)},
                                                         {std::int64_t(threads), std::int64_t(1)});
}

}  // namespace parity::compat
