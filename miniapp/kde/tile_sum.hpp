// SPDX-License-Identifier: BSD-3-Clause
// Shared by all direct sums: packs of samples, the split of work into query tiles and sample chunks, and the
// output. Sums of 256 terms in the data's precision are flushed to double, so the error does not grow with n.
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
constexpr int stage_packs = 256;  ///< packs staged in shared memory or scratch at once

/// The longest chain of additions in the data's precision between two flushes.
template <class T>
constexpr int chain_additions = sizeof(T) == 4 ? flush_packs + pack_width - 1 : flush_packs* pack_width;

/// Samples are padded to whole flushes with values so far away that their terms are zero.
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

/// Adds the terms of a pack's samples to the sums of R queries. In float the four terms are added first, so
/// the running sum is rounded only once.
template <int R, class T, class Term>
PARITY_INLINE void add_pack(const Term& term, const T (&q)[R], Pack<T> x, T (&sum)[R]) {
  if constexpr (sizeof(T) == 4) {
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
/// The same for one query.
template <class T, class Term>
PARITY_INLINE T add_pack(const Term& term, T q, Pack<T> x, T sum) {
  T part = sizeof(T) == 4 ? term.value(0, q, x.value[0]) : term.add(0, q, x.value[0], sum);
  PARITY_UNROLL
  for (int e = 1; e < pack_width; ++e) part = term.add(e, q, x.value[e], part);
  return sizeof(T) == 4 ? sum + part : part;
}

/// Splits the work into query tiles times sample chunks; each pair is one team's or block's work.
struct Split {
  int tiles = 1, chunks = 1;
  int packs = 0;        ///< of all samples
  int chunk_packs = 0;  ///< of one chunk, a multiple of flush_packs
  PARITY_INLINE int first(int chunk) const { return chunk * chunk_packs; }
  PARITY_INLINE int last(int chunk) const {
    return (chunk + 1) * chunk_packs < packs ? (chunk + 1) * chunk_packs : packs;
  }
};

/// A split into about 'wanted' chunks, fewer if there are not as many flushes.
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

/// A split with eight blocks per resident block, so that the last blocks cost little; partial sums take at
/// most 64 MiB. resident: blocks that run at the same time.
inline Split split_for(std::int64_t n, int queries_per_tile, std::int64_t resident) {
  const std::int64_t tiles = (n + queries_per_tile - 1) / queries_per_tile;
  return split_into(n, queries_per_tile, std::min(8 * resident / tiles, (std::int64_t(8) << 20) / n));
}

/// Destination of a team's totals: the density itself, or its chunk's row of the partial sums (chunks, n).
template <class T>
struct Sink {
  using Total = double;
  T* density;
  double* partial;  ///< null if there is only one chunk
  std::int64_t n;
  double norm;
  PARITY_INLINE void put(int chunk, std::int64_t query, double total) const {
    if (query >= n) return;
    if (partial)
      partial[chunk * n + query] = total;
    else
      density[query] = T(total * norm);
  }
  /// The second pass adds the chunks in order, so that the result is deterministic.
  PARITY_INLINE void finish(int chunks, std::int64_t query) const {
    double total = 0;
    for (int c = 0; c < chunks; ++c) total += partial[c * n + query];
    density[query] = T(total * norm);
  }
};

}  // namespace parity::kde
