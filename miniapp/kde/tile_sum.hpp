// SPDX-License-Identifier: BSD-3-Clause
// The hot loops of the direct sums, for host and device alike: R queries in registers against a run of
// samples. Sums of 256 terms in the data's precision are flushed to double, so that the error does not grow
// with n.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kde/gaussian.hpp"

namespace parity::kde {

/// Samples are read four at a time.
constexpr int pack_width = 4;
template <class T>
struct alignas(16) Pack {
  T value[pack_width];
};

constexpr int flush_packs = 64;   ///< packs between two flushes
constexpr int stage_packs = 256;  ///< packs that wait in shared memory or scratch at once

/// The longest chain of additions in the data's precision between two flushes.
template <class T>
constexpr int chain_additions = sizeof(T) == 4 ? flush_packs + pack_width - 1 : flush_packs* pack_width;

/// Samples are padded to whole flushes with values so far away that they add nothing.
inline std::int64_t padded_count(std::int64_t n) {
  constexpr std::int64_t unit = flush_packs * pack_width;
  return (n + unit - 1) / unit * unit;
}
template <class T>
constexpr T far_away = std::numeric_limits<T>::max() / 4;

/// Samples padded to 'count' values.
template <class T>
std::vector<T> padded_samples(const T* samples, std::int64_t n, std::int64_t count) {
  std::vector<T> padded(std::size_t(count), far_away<T>);
  std::copy_n(samples, n, padded.begin());
  return padded;
}

/// Adds the terms of 'count' packs, a multiple of flush_packs, to the totals of R queries: doubles, or
/// ExactSums.
template <int Unroll, int R, class T, class Term, class Total>
PARITY_INLINE void add_packs(const Term& term, const T (&q)[R], const Pack<T>* packs, int count,
                             Total (&total)[R]) {
  for (int first = 0; first < count; first += flush_packs) {
    T sum[R];
    PARITY_LANES
    for (int r = 0; r < R; ++r) sum[r] = 0;
    PARITY_UNROLL_BY(Unroll)
    for (int k = 0; k < flush_packs; ++k) {
      const Pack<T> x = packs[first + k];
      if constexpr (sizeof(T) == 4) {
        // Four terms first, then one rounding of the running sum.
        T part[R];
        PARITY_LANES
        for (int r = 0; r < R; ++r) part[r] = term.value(r * pack_width, q[r], x.value[0]);
        PARITY_UNROLL
        for (int e = 1; e < pack_width; ++e) {
          PARITY_LANES
          for (int r = 0; r < R; ++r) part[r] = term.add(r * pack_width + e, q[r], x.value[e], part[r]);
        }
        PARITY_LANES
        for (int r = 0; r < R; ++r) sum[r] += part[r];
      } else {
        PARITY_UNROLL
        for (int e = 0; e < pack_width; ++e) {
          PARITY_LANES
          for (int r = 0; r < R; ++r) sum[r] = term.add(r * pack_width + e, q[r], x.value[e], sum[r]);
        }
      }
    }
    PARITY_LANES
    for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
  }
}

/// The same for the packs [first, last), staged through memory that all threads of a team fill together.
template <int Unroll, int R, class T, class Term, class Barrier, class Total>
PARITY_INLINE void add_staged(const Term& term, const T (&q)[R], const Pack<T>* samples, int first, int last,
                              Pack<T>* stage, int thread, int threads, const Barrier& barrier,
                              Total (&total)[R]) {
  for (int at = first; at < last; at += stage_packs) {
    const int count = last - at < stage_packs ? last - at : stage_packs;
    barrier();
    for (int k = thread; k < count; k += threads) stage[k] = samples[at + k];
    barrier();
    add_packs<Unroll, R>(term, q, stage, count, total);
  }
}

/// How queries and samples are dealt out: query tiles times sample chunks, each a team's or block's work.
struct Split {
  int tiles = 1, chunks = 1;
  int packs = 0;        ///< of all samples
  int chunk_packs = 0;  ///< of one chunk, a multiple of flush_packs
  PARITY_INLINE int first(int chunk) const { return chunk * chunk_packs; }
  PARITY_INLINE int last(int chunk) const {
    return (chunk + 1) * chunk_packs < packs ? (chunk + 1) * chunk_packs : packs;
  }
};

/// A split into about 'wanted' chunks, fewer where there are not as many flushes.
inline Split split_into(std::int64_t n, int queries_per_tile, std::int64_t wanted) {
  Split s;
  s.packs = int(padded_count(n) / pack_width);
  s.tiles = int((n + queries_per_tile - 1) / queries_per_tile);
  const std::int64_t units = s.packs / flush_packs;
  const std::int64_t per_chunk =
      (units + std::max<std::int64_t>(wanted, 1) - 1) / std::max<std::int64_t>(wanted, 1);
  s.chunk_packs = int(per_chunk * flush_packs);
  s.chunks = int((units + per_chunk - 1) / per_chunk);
  return s;
}

/// A split that fills a device eight times over, so that the last blocks matter little; partial sums of at
/// most 64 MiB. resident: blocks that run at the same time.
inline Split split_for(std::int64_t n, int queries_per_tile, std::int64_t resident) {
  const std::int64_t tiles = (n + queries_per_tile - 1) / queries_per_tile;
  return split_into(n, queries_per_tile, std::min(8 * resident / tiles, (std::int64_t(8) << 20) / n));
}

/// Where a team's totals go: the density itself, or its chunk's row of partial sums (chunks, n).
template <class T>
struct Sink {
  using Total = double;
  T* density;
  double* partial;  ///< null where there is one chunk
  std::int64_t n;
  double norm;
  PARITY_INLINE void put(int chunk, std::int64_t query, double total) const {
    if (query >= n) return;
    if (partial)
      partial[chunk * n + query] = total;
    else
      density[query] = T(total * norm);
  }
  /// The second pass: chunks in order, so that the result does not depend on who was first.
  PARITY_INLINE void finish(int chunks, std::int64_t query) const {
    double total = 0;
    for (int c = 0; c < chunks; ++c) total += partial[c * n + query];
    density[query] = T(total * norm);
  }
};

/// The query r of a thread: tiles hold R times the team's threads, neighbours next to each other.
PARITY_INLINE std::int64_t query_of(int tile, int r, int thread, int threads, int queries) {
  return (std::int64_t(tile) * queries + r) * threads + thread;
}

/// A thread's queries from the padded samples.
template <int R, class T>
PARITY_INLINE void load_queries(const T* samples, std::int64_t n, int tile, int thread, int threads,
                                T (&q)[R]) {
  PARITY_LANES
  for (int r = 0; r < R; ++r) {
    const std::int64_t i = query_of(tile, r, thread, threads, R);
    q[r] = samples[i < n ? i : n - 1];
  }
}

}  // namespace parity::kde
