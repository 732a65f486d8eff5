// SPDX-License-Identifier: BSD-3-Clause
// The direct sum with each unordered pair evaluated once, for host and device alike.
//
// Samples are cut into square tiles. Tile i meets the tiles i+1 ... i+m/2 (m tiles, cyclic), so that every
// pair of tiles meets once and all tiles have equal work; its own tile it meets in full. Within a pair of
// tiles a thread keeps R queries and their sums in registers; the other tile's sums wait in shared memory,
// four to a thread, and in step s thread t adds to those of thread t+s: no two threads ever touch the same
// place. Sums over threads are added in fixed point, which no order of additions can change: always the same
// bits.
#pragma once
#include "kde/tile_sum.hpp"

namespace parity::kde {

/// One unit of a fixed-point sum. A term is at most 1, so that 2^23 of them fit into 63 bits.
constexpr double fixed_one = double(std::int64_t(1) << 40);
PARITY_INLINE std::int64_t to_fixed(double sum) {
#if defined(__CUDA_ARCH__)
  return __double2ll_rn(sum * fixed_one);
#else
  return std::int64_t(sum * fixed_one + 0.5);
#endif
}
constexpr std::int64_t most_symmetric_samples = std::int64_t(1) << 22;
/// The longest chain of additions in float: a mirrored sum takes the R terms of each of the threads at once,
/// and one from each of them; 8 and 128 at most, or 64 and 1.
constexpr int symmetric_additions = 8 + 128;

/// A strip of tile pairs: tile 'tile' with the tiles tile+first ... tile+last-1.
struct Strips {
  int threads = 1, tile_size = 1;  ///< of a team; samples of a tile: R times threads
  int tiles = 1, strips = 1, length = 1;
  PARITY_INLINE int first(int strip) const { return strip * length; }
  PARITY_INLINE int last(int strip) const {
    const int end = tiles / 2 + 1;
    return (strip + 1) * length < end ? (strip + 1) * length : end;
  }
  /// With an even number of tiles the opposite one is met by only one of the two.
  PARITY_INLINE bool meets(int tile, int offset) const {
    return offset == 0 || offset * 2 != tiles || tile < tiles / 2;
  }
};
inline Strips strips_for(std::int64_t padded, int threads, int queries, int length) {
  Strips s;
  s.threads = threads;
  s.tile_size = threads * queries;
  s.tiles = int((padded + s.tile_size - 1) / s.tile_size);
  s.length = length;
  s.strips = (s.tiles / 2 + 1 + length - 1) / length;
  return s;
}
/// Samples the arrays must hold, padding included.
inline std::int64_t symmetric_count(std::int64_t n, int threads, int queries) {
  const std::int64_t tile = std::int64_t(threads) * queries;
  return (padded_count(n) + tile - 1) / tile * tile;
}

/// What a strip adds. stage and others: one pack a thread, shared by the team. add(place, sum): adds to the
/// fixed-point sum of a sample, safe against other teams. The team's size is a power of two and at least the
/// quarter of a tile that one stage holds.
template <int Unroll, int R, class Term, class Barrier, class Add>
PARITY_INLINE void add_strip(const Term& term, const float* samples, const Strips& at, int tile, int strip,
                             Pack<float>* stage, Pack<float>* others, int thread, const Barrier& barrier,
                             const Add& add) {
  const int threads = at.threads;
  float q[R];
  double total[R];
  PARITY_LANES
  for (int r = 0; r < R; ++r) {
    q[r] = samples[std::int64_t(tile) * at.tile_size + r * threads + thread];
    total[r] = 0;
  }
  for (int offset = at.first(strip); offset < at.last(strip); ++offset) {
    if (!at.meets(tile, offset)) continue;
    const int other = tile + offset < at.tiles ? tile + offset : tile + offset - at.tiles;
    const auto* const packs =
        reinterpret_cast<const Pack<float>*>(samples + std::int64_t(other) * at.tile_size);
    const int count = at.tile_size / pack_width;
    for (int first = 0; first < count; first += threads) {
      barrier();
      stage[thread] = packs[first + thread];
      others[thread] = Pack<float>{};
      barrier();
      // Both sums are cut short, a thread's after 256 terms, the mirrored one by adding R terms at once.
      const int run = threads < flush_packs ? threads : flush_packs;
      for (int begin = 0; begin < threads; begin += run) {
        float sum[R];
        PARITY_LANES
        for (int r = 0; r < R; ++r) sum[r] = 0;
        PARITY_UNROLL_BY(Unroll)
        for (int step = begin; step < begin + run; ++step) {
          const int place = (thread + step) & (threads - 1);
          const Pack<float> x = stage[place];
          Pack<float> mirrored = others[place];
          float part[R];
          PARITY_UNROLL
          for (int e = 0; e < pack_width; ++e) {
            float v[R], column = 0;
            PARITY_LANES
            for (int r = 0; r < R; ++r) {
              v[r] = term.value(r * pack_width + e, q[r], x.value[e]);
              part[r] = e == 0 ? v[r] : part[r] + v[r];
            }
            PARITY_LANES_SUM(column)
            for (int r = 0; r < R; ++r) column += v[r];
            mirrored.value[e] += column;
          }
          PARITY_LANES
          for (int r = 0; r < R; ++r) sum[r] += part[r];
          others[place] = mirrored;
          barrier();
        }
        PARITY_LANES
        for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
      }
      // Its own tile a tile meets in full: the mirrored half is already there.
      if (offset == 0) continue;
      PARITY_UNROLL
      for (int e = 0; e < pack_width; ++e)
        add(std::int64_t(other) * at.tile_size + (first + thread) * pack_width + e,
            double(others[thread].value[e]));
    }
  }
  PARITY_UNROLL
  for (int r = 0; r < R; ++r) add(std::int64_t(tile) * at.tile_size + r * threads + thread, total[r]);
}

}  // namespace parity::kde
