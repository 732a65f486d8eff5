// SPDX-License-Identifier: BSD-3-Clause
// How the streams of kokkos-temporal-tuned cut planes into items of work.
#pragma once
#include <cstddef>

#include "backend/kokkos/diffusion/team.hpp"
#include "diffusion/passes.hpp"

namespace parity::diffusion::temporal {

/// A pass over planes that lie 'plane' elements apart. Rows are read modulo the plane; what is completed is a
/// box of it, at the same place of the other field.
struct StreamCut {
  int nx, ny, pitch;
  std::ptrdiff_t plane;
  int x, y, columns, rows;  ///< the box
  int tiles, chunk, chunks, periods, items, league;
  int links;       ///< at work
  int ahead;       ///< rows from the one that is loaded to the one that is prefetched
  int ahead_step;  ///< elements from rows that are prefetched to the next ones
};

/// An item of work: a tile of a chunk of a plane.
struct StreamItem {
  std::ptrdiff_t plane, out;  ///< its plane's first element; where its first finished row would go
  int x, y;                   ///< where it begins to read
  int rows, columns;          ///< that it completes
};

/// i modulo n. A loop: a division would take registers that the pipeline has.
PARITY_INLINE int wrapped(int i, int n) {
  PARITY_UNROLL_BY(1)
  while (i < 0) i += n;
  PARITY_UNROLL_BY(1)
  while (i >= n) i -= n;
  return i;
}
/// i, or i - n unless that is negative.
PARITY_INLINE int wrapped_once(int i, int n) {
  const unsigned a = unsigned(i), b = unsigned(i - n);
  return int(a < b ? a : b);
}

/// Of a kernel's tiles and a pass of so many steps.
template <class Kernel>
KOKKOS_INLINE_FUNCTION StreamItem item_of(const StreamCut& cut, int item, int steps) {
  const int tile = item % cut.tiles, rest = item / cut.tiles, chunk = rest % cut.chunks;
  const int y = chunk * cut.chunk, x = tile * Kernel::useful;
  const std::ptrdiff_t plane = rest / cut.chunks * cut.plane;
  return {plane,
          plane + std::ptrdiff_t(cut.y + y - 4 * steps) * cut.pitch + cut.x + x,
          cut.x + x - Kernel::overlap,
          wrapped(cut.y + y - 2 * steps, cut.ny),
          cut.rows - y < cut.chunk ? cut.rows - y : cut.chunk,
          cut.columns - x < Kernel::useful ? cut.columns - x : Kernel::useful};
}

/// Of a pass of so many steps of a kernel. spare: multiprocessors that are left free.
template <class Kernel>
RowChunks chunks_of(const Exec& exec, const StreamCut& cut, int nz, int spare, int steps) {
  const int tiles = (cut.columns + Kernel::useful - 1) / Kernel::useful;
  return RowChunks(cut.rows, steps, Kernel::period, double(tiles) * nz,
                   double(compat::multiprocessors(exec) - spare) * Kernel::teams);
}

}  // namespace parity::diffusion::temporal
