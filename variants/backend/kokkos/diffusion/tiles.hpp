// SPDX-License-Identifier: BSD-3-Clause
// Launches points and lines as an expert would: on a GPU blocks of threads with an index map of tile_map.hpp,
// on a host a range over rows with a vector loop along x. Through any queue.
#pragma once
#include "diffusion/forms.hpp"
#include "diffusion/tile_map.hpp"
#include "runtime/kokkos/blocks.hpp"
#include "team.hpp"
#include "tuned.hpp"

namespace parity::diffusion {

/// A thread of a map: its share of points or of a line. Which threads are a team's does not matter to it, so
/// that it needs no TeamPolicy, whose kernels loop over the league and keep locks for scratch memory.
template <class Work, class Map>
struct MapThreads {
  Work work;
  Map map;
  KOKKOS_INLINE_FUNCTION void operator()(unsigned n) const {
    map.compute(work, int(n / Map::threads), int(n % Map::threads));
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t n, std::int64_t) const {
    map.compute(work, int(n / Map::threads), int(n % Map::threads));
  }
};

/// 'teams' times 'threads' threads, fewer than 2^32 in all, 'least' of those teams on a multiprocessor.
/// Neighbours are in the same warp, as in teams; the blocks are Kokkos' choice.
template <int threads, unsigned least, class Queue, class Functor>
void launch_threads(Queue& queue, const char* label, std::int64_t teams, const Functor& functor) {
  using Policy =
      Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<unsigned(threads), least>, Kokkos::IndexType<unsigned>>;
  queue.parallel_for(label, Policy(queue.exec(), 0U, unsigned(teams * threads)), functor);
}

/// nx points of one row with a vector loop, on a host.
template <int seam, class Line>
KOKKOS_INLINE_FUNCTION void compute_row(const Line& line, std::ptrdiff_t nx) {
  if constexpr (seam > 0) {
    for (std::ptrdiff_t i = 0; i < seam && i < nx; ++i) line.store(i, line.value(i));
    PARITY_LANES
    for (std::ptrdiff_t i = seam; i < nx - seam; ++i) line.store(i, line.inner(i));
    for (std::ptrdiff_t i = nx - seam > seam ? nx - seam : seam; i < nx; ++i) line.store(i, line.value(i));
  } else {
    PARITY_LANES
    for (std::ptrdiff_t i = 0; i < nx; ++i) line.store(i, line.value(i));
  }
}

/// One row of the planes, on a host.
template <class Points>
struct PointRows {
  Points points;
  runtime::FastDivide by_height;
  std::ptrdiff_t width;
  PointRows(const Points& p, const Extent& e) : points(p), by_height(e.height), width(e.width) {}

  KOKKOS_INLINE_FUNCTION void operator()(int row) const {
    const unsigned k = by_height(unsigned(row));
    compute_row<Points::seam>(points.line(int(k), int(by_height.remainder(unsigned(row), k))), width);
  }
};

/// Neighbouring rows of one plane, on a host: what the rows have in common is worked out once for all of
/// them, which a call for each row does not leave to the compiler.
template <class Points>
struct PointRowGroups {
  Points points;
  RowGroups groups;
  std::ptrdiff_t width;
  PointRowGroups(const Points& p, const Extent& e, int threads)
      : points(p), groups(e.nz, e.height, threads), width(e.width) {}

  KOKKOS_INLINE_FUNCTION void operator()(int n) const {
    const RowGroups::Group group = groups(n);
    const Points p = points;
    const std::ptrdiff_t nx = width;
    for (int j = group.first; j < group.last; ++j) compute_row<Points::seam>(p.line(group.plane, j), nx);
  }
};

/// A piece of a line, on a host.
template <class Line>
struct LinePieces {
  static constexpr std::int64_t piece = 4096;
  Line line;
  std::int64_t size;
  KOKKOS_INLINE_FUNCTION void operator()(int n) const {
    const Line l = line;
    const std::int64_t first = n * piece, last = first + piece < size ? first + piece : size;
    PARITY_LANES
    for (std::int64_t i = first; i < last; ++i) l.store(i, l.value(i));
  }
};

/// Every point once. Map: TileMap or FlatMap.
template <class Map, class Points, class Queue>
void for_points(Queue& queue, const char* label, const Extent& extent, const Points& points) {
  if constexpr (compat::exec_is_device()) {
    launch_threads<Map::threads, least_teams_of<Map>(Map::rows * int(sizeof(typename Points::Value) / 4))>(
        queue, label, Map::teams(extent), MapThreads<Points, Map>{points, Map(extent)});
  } else {
    const PointRowGroups<Points> groups(points, extent, compat::concurrency(queue.exec()));
    queue.parallel_for(label, even_range(queue.exec(), groups.groups.count()), groups);
  }
}

/// Every element of a line once. Kernels that only scale or add want wider blocks than a range's, which are
/// Kokkos' choice (128 threads), and on small fields the call is what they cost.
template <int elements, class Line, class Queue>
void for_line(Queue& queue, const char* label, std::int64_t size, const Line& line) {
  if constexpr (compat::exec_is_device()) {
    using Map = LineMap<elements>;
    constexpr int words = elements * int(sizeof(typename Line::Value) / 4);
    queue.parallel_for(label,
                       compat::blocks_of_threads<Map::threads, least_teams_of<Map>(words), std::int64_t>(
                           queue.exec(), Map::teams(size), Map::threads),
                       MapThreads<Line, Map>{line, Map(size)});
  } else {
    queue.parallel_for(label, even_range(queue.exec(), ceil_divide(size, LinePieces<Line>::piece)),
                       LinePieces<Line>{line, size});
  }
}

/// Forms on a GPU; a host has one and nothing to choose.
template <class First, class... Others>
struct FormList : Forms<First, Others...> {
  template <class F>
  static void with(const Tuning& t, const F& f) {
    if constexpr (compat::exec_is_device())
      Forms<First, Others...>::with(t, f);
    else
      f(First{});
  }
  static std::optional<std::string> refuse(const Tuning& t) {
    if (!compat::exec_is_device()) return std::nullopt;
    return Forms<First, Others...>::refuse(t);
  }
};

using PointTiles = PointTilesAs<FormList>;

}  // namespace parity::diffusion
