// SPDX-License-Identifier: BSD-3-Clause
// Tiles and fixed-point sums, shared by the variants that evaluate each unordered pair once.
//
// Samples are cut into square tiles. Tile i meets tiles i+1 ... i+m/2 (m tiles, cyclic), so every pair of
// tiles meets once and all tiles have equal work; each tile also meets itself in full. Within a pair of tiles
// a thread keeps R queries and their sums in registers; the other tile's sums are in shared memory, four per
// thread. In step s thread t adds to the sums of thread t+s, so no two threads ever update the same sum. Sums
// over threads are added in fixed point, which is independent of the order of additions: the result is always
// bitwise the same.
#pragma once
#include "kde/tile_sum.hpp"

namespace parity::kde {

/// The value 1 in fixed point. A term is at most 1, so 2^23 of them fit into 63 bits.
constexpr double fixed_one = double(std::int64_t(1) << 40);
PARITY_INLINE std::int64_t to_fixed(double sum) {
#if defined(__CUDA_ARCH__)
  return __double2ll_rn(sum * fixed_one);
#else
  return std::int64_t(sum * fixed_one + 0.5);
#endif
}
constexpr std::int64_t most_symmetric_samples = std::int64_t(1) << 22;
/// The longest chain of additions in float: a mirrored sum takes the R terms of a thread at once, and one
/// such sum from each thread; at most 8 and 128, or 64 and 1.
constexpr int symmetric_additions = 8 + 128;

/// A strip of tile pairs: tile 'tile' with the tiles tile+first ... tile+last-1.
struct Strips {
  int threads = 1, tile_size = 1;  ///< threads of a team; samples of a tile: R times threads
  int tiles = 1, strips = 1, length = 1;
  PARITY_INLINE int first(int strip) const { return strip * length; }
  PARITY_INLINE int last(int strip) const {
    const int end = tiles / 2 + 1;
    return (strip + 1) * length < end ? (strip + 1) * length : end;
  }
  /// If the number of tiles is even, only one of two opposite tiles meets the other.
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
/// Number of samples that the arrays must hold, including padding.
inline std::int64_t symmetric_count(std::int64_t n, int threads, int queries) {
  const std::int64_t tile = std::int64_t(threads) * queries;
  return (padded_count(n) + tile - 1) / tile * tile;
}

}  // namespace parity::kde
