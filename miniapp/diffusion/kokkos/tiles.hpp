// SPDX-License-Identifier: BSD-3-Clause
// Launches points and lines as an expert would: on a GPU flat teams with an index map of tile_map.hpp, on a
// host a range over rows with a vector loop along x. Through any queue.
#pragma once
#include "diffusion/kokkos/team.hpp"
#include "diffusion/tile_map.hpp"

namespace parity::diffusion {

/// Teams that a multiprocessor shall have room for, which limits the registers of a thread: 2048 threads with
/// 32 registers each where a thread computes a word of 4 bytes, fewer the more it holds at once.
constexpr unsigned least_teams(int threads, int words) {
  return unsigned((words <= 1   ? 2048
                   : words == 2 ? 1536
                   : words <= 4 ? 1024
                   : words <= 8 ? 768
                                : 512) /
                  threads);
}

/// A team of a map: one thread's share of points or of a line.
template <class Work, class Map>
struct MapTeams {
  Work work;
  Map map;
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    map.compute(work, team.league_rank(), team.team_rank());
  }
};

/// 'teams' teams of flat threads; 'words' of 4 bytes that a thread computes.
template <int threads, int words, class Queue, class Functor>
void launch_teams(Queue& queue, const char* label, std::int64_t teams, const Functor& functor,
                  std::size_t team_bytes = 0) {
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<unsigned(threads), least_teams(threads, words)>>;
  Policy policy(queue.exec(), int(teams), threads, 1);
  if (team_bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(int(team_bytes)));
  queue.parallel_for(label, policy, functor);
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
    const auto line = points.line(int(k), int(by_height.remainder(unsigned(row), k)));
    const std::ptrdiff_t nx = width;
    if constexpr (Points::seam > 0) {
      constexpr std::ptrdiff_t seam = Points::seam;
      for (std::ptrdiff_t i = 0; i < seam && i < nx; ++i) line.store(i, line.value(i));
      PARITY_LANES
      for (std::ptrdiff_t i = seam; i < nx - seam; ++i) line.store(i, line.inner(i));
      for (std::ptrdiff_t i = nx - seam > seam ? nx - seam : seam; i < nx; ++i) line.store(i, line.value(i));
    } else {
      PARITY_LANES
      for (std::ptrdiff_t i = 0; i < nx; ++i) line.store(i, line.value(i));
    }
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
  if constexpr (compat::exec_is_device())
    launch_teams<Map::threads, Map::rows* int(sizeof(typename Points::Value) / 4)>(
        queue, label, Map::teams(extent), MapTeams<Points, Map>{points, Map(extent)});
  else
    queue.parallel_for(label, Range1<int>(queue.exec(), 0, int(extent.nz * extent.height)),
                       PointRows<Points>(points, extent));
}

/// Every element of a line once.
template <int elements, class Line, class Queue>
void for_line(Queue& queue, const char* label, std::int64_t size, const Line& line) {
  if constexpr (compat::exec_is_device()) {
    using Map = LineMap<elements>;
    launch_teams<Map::threads, elements* int(sizeof(typename Line::Value) / 4)>(
        queue, label, Map::teams(size), MapTeams<Line, Map>{line, Map(size)});
  } else {
    queue.parallel_for(label, Range1<int>(queue.exec(), 0, int(ceil_divide(size, LinePieces<Line>::piece))),
                       LinePieces<Line>{line, size});
  }
}

/// The compile-time forms that a tuning chooses from, the default first. A host has one.
template <class... Forms>
struct FormList {
  static std::vector<std::string> names() { return {Forms::name()...}; }
  static bool has(const Tuning& t) { return ((to_string(t) == Forms::name()) || ...); }
  /// f(form) for the tuning's.
  template <class F>
  static void with(const Tuning& t, const F& f) {
    if constexpr (compat::exec_is_device()) {
      const std::string name = to_string(t);
      static_cast<void>(((name == Forms::name() ? (f(Forms{}), true) : false) || ...));
    } else {
      f(First{});
    }
  }
  /// Why there is no such form here; a host has nothing to choose.
  static std::optional<std::string> refuse(const Tuning& t) {
    if (!compat::exec_is_device() || has(t)) return std::nullopt;
    std::string all;
    for (const std::string& name : names()) all += (all.empty() ? "" : ", ") + name;
    return "it is compiled for " + all;
  }

 private:
  template <class A, class...>
  struct FirstOf {
    using Form = A;
  };
  using First = typename FirstOf<Forms...>::Form;
};

/// "rows a thread x rows x columns of a team"; none narrower than this.
constexpr int narrowest_tile = 32;
using PointTiles = FormList<Tile<2, 4, 64>, Tile<1, 4, 64>, Tile<4, 4, 64>, Tile<2, 2, 128>, Tile<2, 8, 32>>;

/// A number as a form: rows or elements a thread.
template <int count_>
struct Count {
  static constexpr int count = count_;
  static std::string name() { return std::to_string(count_); }
};

/// Refuses what 32-bit indices of a plane, of its teams or of the halo's flat range cannot count.
inline std::optional<std::string> refuse_large_planes(const Problem& p) {
  constexpr double most = 0x1p31 - 1024;
  const double lines = double(p.rows()) * double(p.nz);
  if (double(p.pitch()) * double(p.rows()) > most ||
      lines * double(ceil_divide(p.pitch(), narrowest_tile)) > most ||
      double(halo_cells(p.nx, p.ny, p.halo)) * double(p.nz) > most)
    return "more than 2^31 points of a plane, tiles or halo cells: its indices have 32 bits";
  return std::nullopt;
}

}  // namespace parity::diffusion
