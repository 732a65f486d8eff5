// SPDX-License-Identifier: BSD-3-Clause
// temporal, Kokkos, tuned: the kernel of rows that fill packs of 16 bytes. Links, tiles and items are as in
// kokkos_tuned.cpp.
//
// A link makes the first step of the rows that arrive in a tick, and the second step of those that arrived in
// the tick before. After a barrier there is thus work that needs no memory, and rows finished by the second
// step make room for arriving ones. In float, a team of eight links makes 16 steps a pass. In double, two
// rows arrive in a tick, so that there is one barrier every two rows.
//
// The decisive point is where ptxas waits for the loads of a tick, of 1200 clocks: if a load shares one of
// the six scoreboards with a value used soon, its warp stalls in the middle of the tick, and all others at
// the barrier. Orders of the same operations took up to a fifth longer. In SASS, the first instruction that
// waits for a load of global memory must be the store to scratch at the tick's end.
#pragma once
#include <algorithm>
#include <cstddef>

#include "backend/kokkos/diffusion/team.hpp"
#include "diffusion/passes.hpp"
#include "lane_pipeline.hpp"
#include "runtime/kokkos/team_hints.hpp"

namespace parity::diffusion::temporal {

/// A pass over planes 'plane' elements apart. It reads rows modulo the plane and completes a box of the
/// plane, at the same place of the other field.
struct StreamCut {
  int nx, ny, pitch;
  std::ptrdiff_t plane;
  int x, y, columns, rows;  ///< the box
  int tiles, chunk, chunks, periods, items, league;
  int links;       ///< active
  int ahead;       ///< rows from the loaded to the prefetched row
  int ahead_step;  ///< elements between prefetches
};

/// An item of work: a tile of a chunk of a plane.
struct StreamItem {
  std::ptrdiff_t plane, out;  ///< its plane's first element; place of the first row that leaves the pipeline
  int x, y;                   ///< first column and row that it reads
  int rows, columns;          ///< rows and columns that it completes
};

/// i modulo n, as a loop: a division would need registers of the pipeline.
PARITY_INLINE int wrapped(int i, int n) {
  PARITY_UNROLL_BY(1)
  while (i < 0) i += n;
  PARITY_UNROLL_BY(1)
  while (i >= n) i -= n;
  return i;
}
/// i - n, or i if that is negative.
PARITY_INLINE int wrapped_once(int i, int n) {
  const unsigned a = unsigned(i), b = unsigned(i - n);
  return int(a < b ? a : b);
}

/// Item number 'item' of a kernel in a pass of 'steps' steps.
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

/// Chunks of rows of a kernel in a pass of 'steps' steps. spare: multiprocessors that are left free.
template <class Kernel>
RowChunks chunks_of(const Exec& exec, const StreamCut& cut, int nz, int spare, int steps) {
  const int tiles = (cut.columns + Kernel::useful - 1) / Kernel::useful;
  return RowChunks(cut.rows, steps, Kernel::period, double(tiles) * nz,
                   double(compat::multiprocessors(exec) - spare) * Kernel::teams);
}

template <class T, int n>
struct alignas(n * sizeof(T)) StreamPack {
  T v[n];
};

/// Moves a lane's P columns to and from scratch by an odd number of accesses of at most 16 bytes, so that
/// lanes have no bank conflicts.
template <class T, int P>
struct LaneRow {
  static constexpr int bytes = P * int(sizeof(T)) % 16 == 0 ? 16 : 8, width = bytes / int(sizeof(T)),
                       count = P / width;
  static_assert(count % 2 == 1 && count * width == P, "lanes meet in a bank");
  using Access = StreamPack<T, width>;
  static PARITY_INLINE void read(T (&v)[P], const T* row, int a) {
    const Access access = *reinterpret_cast<const Access*>(row + a * width);
    PARITY_UNROLL
    for (int e = 0; e < width; ++e) v[a * width + e] = access.v[e];
  }
  static PARITY_INLINE void write(const T (&v)[P], T* row, int a) {
    Access access;
    PARITY_UNROLL
    for (int e = 0; e < width; ++e) access.v[e] = v[a * width + e];
    *reinterpret_cast<Access*>(row + a * width) = access;
  }
};

/// The kernel of a pass. deferred: DeferredScale, for alpha = 1/32. scales: stored rows take 'factor'.
template <class T, bool deferred, bool scales>
struct StaggeredStream {
  static constexpr bool in_float = sizeof(T) == 4;
  static constexpr int columns = in_float ? 18 : 9, warps = in_float ? 8 : 4, teams = in_float ? 1 : 2,
                       rows = in_float ? 1 : 2;   ///< per tick
  static constexpr int ahead = in_float ? 6 : 7;  ///< rows from a period's first load to its prefetch
  // The fastest of some forty orders of the same operations.
  static constexpr bool exchanges_along = in_float && !scales,
                        holds_loads = !in_float || (deferred && !scales), holds_puts = !in_float || deferred,
                        stores_last = !exchanges_along;

  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32 * warps, teams>>;
  using Pipeline = LanePipeline<T, columns, 2, deferred>;
  using Row = LaneRow<T, columns>;
  static constexpr int pack = 16 / int(sizeof(T));
  using Packed = StreamPack<T, pack>;
  static constexpr int threads = 32 * warps, width = 32 * columns, links = warps, steps = 2 * links,
                       steps_of_link = 2, most_steps = steps;
  static constexpr int ticks = Pipeline::held, period = ticks * rows;  ///< per iteration: ticks, rows
  static constexpr int overlap = 2 * steps;
  static constexpr int useful = (width - 2 * overlap) / 128 * 128;
  static constexpr int loaders = std::min(threads, width / pack);  ///< threads that load a pack of a row
  static constexpr int beside = width - loaders * pack;            ///< remaining columns, one per thread
  static constexpr int storers = useful / pack, first_storer = threads - storers;  ///< the last threads
  static constexpr int lag = 1 + links + links / rows;  ///< ticks from a row's load to its store
  static constexpr int slot_size = rows * width, boundary = 2 * slot_size;
  static constexpr int scratch_bytes =
      (warps + 1) * boundary * int(sizeof(T)) + 2 * int(sizeof(StreamItem)) + 16;
  static constexpr int line = 128 / int(sizeof(T)), lines = width / line + 2;  ///< at most, per row
  static_assert(rows <= 2 && links % rows == 0 && rows * beside <= threads && lines * ticks <= threads &&
                    overlap % pack == 0 && first_storer >= 0,
                "a thread has an access of each kind");

  const T* in;
  T* out;
  StreamCut cut;
  T alpha, factor;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int thread = team.team_rank(), lane = thread % 32, link = thread / 32;
    int items = (cut.items - 1 - team.league_rank()) / cut.league + 1;  // not yet begun
    const int plane = cut.ny * cut.pitch;

    // Boundary b is before link b, the last one behind the last link; each has two slots of a tick's rows.
    T* const scratch = compat::scratch_of<T>(team, scratch_bytes - 16);
    T* const mine = scratch + link * boundary + lane * columns;
    T* const put = scratch + thread * pack;
    constexpr int per_row = beside > 0 ? beside : 1;
    T* const put_beside = scratch + thread / per_row * width + threads * pack + thread % per_row;
    const int storer = thread - first_storer;
    const T* const get = put + (links * boundary + overlap - first_storer * pack);
    // Thread 0 describes the next item in scratch while the team processes the current one.
    StreamItem* const items_here = reinterpret_cast<StreamItem*>(scratch + (warps + 1) * boundary);
    if (thread == 0) items_here[items % 2] = item_of<StaggeredStream>(cut, team.league_rank(), steps);
    compat::team_barrier(team);

    int periods = (items - 1) * cut.periods + (cut.chunk + 4 * steps + lag * rows + period - 1) / period;
    int left = 0;  // periods until the next item's rows follow
    const T* from = in;
    int at = 0, at_beside = 0, soon = 0;  // offsets in the plane of the loaded and prefetched elements
    T* to = out;
    int done = 0, rows_wanted = 0, slot = 0;
    Pipeline pipeline;
    pipeline.clear();
    typename Pipeline::Across second{};  // input of the second step of the row before
    PARITY_UNROLL_BY(1)
    for (; periods > 0; --periods) {
      PARITY_UNROLL
      for (int u = 0; u < ticks; ++u) {
        if (u == 0) {
          if (left == 0 && items > 0) {  // the next item's rows follow
            const StreamItem& item = items_here[items % 2];
            const int first = wrapped(item.x + thread * pack, cut.nx), column = thread % lines * line;
            from = in + item.plane;
            at = item.y * cut.pitch + first;
            at_beside = wrapped(item.x + threads * pack + thread % per_row, cut.nx);
            at_beside +=
                rows == 1 ? -first : wrapped_once((item.y + thread / per_row % rows) * cut.pitch, plane);
            soon = wrapped(item.y + ahead + thread / lines, cut.ny) * cut.pitch +
                   wrapped(item.x + (column < width ? column : width - 1), cut.nx);
            left = cut.periods;
            --items;
          }
          --left;
        }
        if (u == lag % ticks && left == cut.periods - 1 - lag / ticks) {  // its finished rows follow
          const StreamItem& item = items_here[(items + 1) % 2];
          to = out + item.out + storer * pack;
          done = -4 * steps;
          rows_wanted = storer >= 0 && item.columns - storer * pack > 0 ? item.rows : 0;
          if (thread == 0 && items > 0) {
            const int last = cut.items - 1 - (cut.items - 1 - team.league_rank()) % cut.league;
            items_here[items % 2] = item_of<StaggeredStream>(cut, last - (items - 1) * cut.league, steps);
          }
        }
        const int next = slot_size - slot;

        // Load the first link's next rows now, and store them to scratch at the tick's end.
        Packed loaded[rows] = {};
        T loaded_beside = T(0);
        if (beside > 0 && thread < rows * beside)
          loaded_beside = from[rows == 1 ? at + at_beside : at_beside];
        if (rows > 1) at_beside = wrapped_once(at_beside + rows * cut.pitch, plane);
        PARITY_UNROLL
        for (int r = 0; r < rows; ++r) {
          if (loaders == threads || thread < loaders) loaded[r] = *reinterpret_cast<const Packed*>(from + at);
          at = wrapped_once(at + cut.pitch, plane);
        }
        if (u == 1 || (rows == 2 && u == 3)) {
          if (thread < lines * ticks) compat::prefetch(from + soon);
          soon = wrapped_once(soon + cut.ahead_step, plane);
        }
        if (holds_loads) runtime::lanes_meet();

        // Store the rows that the last link finished in the tick before.
        const auto store = [&] {
          PARITY_UNROLL
          for (int r = 0; r < rows; ++r) {
            Packed finished = *reinterpret_cast<const Packed*>(get + slot + r * width);
            if (scales) {
              PARITY_UNROLL
              for (int e = 0; e < pack; ++e) finished.v[e] *= factor;
            }
            if (unsigned(done) < unsigned(rows_wanted)) *reinterpret_cast<Packed*>(to) = finished;
            ++done;
            to += cut.pitch;
          }
        };
        if (!stores_last) store();

        PARITY_UNROLL
        for (int r = 0; r < rows; ++r) {
          const int newest = Pipeline::newest_of(u * rows + r),
                    before = Pipeline::newest_of(u * rows + r + Pipeline::held - 1);
          const T* const row_in = mine + slot + r * width;
          T* const row_out = mine + boundary + next + r * width;
          const auto exchange = [&](int a) {  // writes the finished row and reads the arriving one
            Row::write(pipeline.finished(before), row_out, a);
            Row::read(pipeline.arriving(newest), row_in, a);
          };
          auto sweep = pipeline.begin(1, before, second);
          PARITY_UNROLL
          for (int i = columns - 1; i >= 0; --i) {
            pipeline.column(1, before, alpha, i, sweep);
            if (exchanges_along && i % Row::width == 0) exchange(i / Row::width);
          }
          pipeline.end(1, sweep);
          if (!exchanges_along) {
            PARITY_UNROLL
            for (int a = Row::count - 1; a >= 0; --a) exchange(a);
          }
          pipeline.step(0, newest, alpha);
          second = pipeline.across(1, newest);
        }
        if (stores_last) store();
        if (holds_puts) runtime::lanes_meet();
        PARITY_UNROLL
        for (int r = 0; r < rows; ++r)
          if (loaders == threads || thread < loaders)
            *reinterpret_cast<Packed*>(put + next + r * width) = loaded[r];
        if (beside > 0 && thread < rows * beside) put_beside[next] = loaded_beside;
        slot = next;
        compat::team_barrier(team);
      }
    }
  }
};

}  // namespace parity::diffusion::temporal
