// SPDX-License-Identifier: BSD-3-Clause
// Sums over chunks of samples, and the second pass over the chunks' sums, for split sums and the ring.
// On a host a team is one thread, and a thread's queries are its vector lanes.
#pragma once
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde {

/// Bytes of scratch for add_chunk and a term's table, and the bytes to request for them.
template <class T, class Term>
constexpr std::size_t chunk_scratch = stage_packs * sizeof(Pack<T>) + Term::table_size * sizeof(double);
template <class T, class Term>
constexpr int chunk_request = int(chunk_scratch<T, Term> + 2 * sizeof(double));

/// Adds the terms of the packs [first, last) to the totals (double or ExactSum) of a thread's R queries. All
/// threads of a team stage the packs in scratch.
template <int Unroll, int R, class T, class Term, class Team, class Total>
KOKKOS_INLINE_FUNCTION void add_chunk(const Team& team, const Term& term, const T (&q)[R], const T* samples,
                                      int first, int last, Pack<T>* stage, Total (&total)[R]) {
  const int thread = team.team_rank(), threads = team.team_size();
  for (int at = first; at < last; at += stage_packs) {
    const int count = last - at < stage_packs ? last - at : stage_packs;
    team.team_barrier();
    for (int k = thread; k < count; k += threads)
      stage[k] = reinterpret_cast<const Pack<T>*>(samples)[at + k];
    team.team_barrier();
    for (int flush = 0; flush < count; flush += flush_packs) {
      T sum[R];
      PARITY_LANES
      for (int r = 0; r < R; ++r) sum[r] = 0;
      PARITY_UNROLL_BY(Unroll)
      for (int k = 0; k < flush_packs; ++k) add_pack(term, q, stage[flush + k], sum);
      PARITY_LANES
      for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
    }
  }
}

template <class Into>
struct SecondPass {
  Into sink;
  int chunks;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t query) const { sink.finish(chunks, query); }
};

/// Limit on the bytes of partial sums for split_for.
inline double partial_bytes(const Problem& p) {
  return compat::exec_is_device() ? std::max(8.0 * double(p.n), double(std::int64_t(64) << 20)) : 0.0;
}

}  // namespace parity::kde
