// SPDX-License-Identifier: BSD-3-Clause
// What the sums that evaluate each unordered pair once share: tiles that meet, and fixed-point sums.
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

}  // namespace parity::kde
