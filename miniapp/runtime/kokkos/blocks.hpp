// SPDX-License-Identifier: BSD-3-Clause
// Blocks of threads whose size the caller says, without a team.
#pragma once
#include <cstdint>

#include "kokkos_compat.hpp"

namespace parity::compat {

/// 'blocks' blocks of 'threads' threads, at most 'most' of them in a block, 'least' blocks on a
/// multiprocessor (1: no bound). A functor gets the number of its thread, from 0 to blocks * threads, and a
/// second number that means nothing. It is an MDRange, because its tile is the block: a RangePolicy searches
/// for a block size of its own in each launch (Kokkos issue 3307), and a TeamPolicy has a loop over the
/// league and locks of scratch memory.
template <int most, unsigned least, class Index>
auto blocks_of_threads(const Exec& exec, std::int64_t blocks, int threads) {
  return Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::LaunchBounds<unsigned(most), least>,
                               Kokkos::IndexType<Index>>(exec, {std::int64_t(0), std::int64_t(0)},
                                                         {blocks * threads, std::int64_t(1)},
                                                         {std::int64_t(threads), std::int64_t(1)});
}

}  // namespace parity::compat
