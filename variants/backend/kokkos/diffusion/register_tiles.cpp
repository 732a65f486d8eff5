// SPDX-License-Identifier: BSD-3-Clause
// The kernel of kokkos-plane-registers and kokkos-temporal, for each shape of a thread's points.
#include "register_tiles.hpp"

#include <limits>
#include <tuple>
#include <type_traits>

#include "register_tile.hpp"
#include "diffusion/plane_registers/warp_plane.hpp"
#include "runtime/kokkos/scratch.hpp"

namespace parity::diffusion {
namespace {

template <int r, int c>
struct Points {
  static constexpr int rows = r, columns = c;
};
using Shapes =
    std::tuple<Points<16, 4>, Points<8, 4>, Points<4, 4>, Points<8, 2>, Points<4, 2>, Points<4, 1>>;

/// f(Points) for a shape; false where it is none of them.
template <class F>
bool with_shape(const TileShape& shape, const F& f) {
  const auto tried = [&](auto points) {
    if (points.rows != shape.rows || points.columns != shape.columns) return false;
    f(points);
    return true;
  };
  return std::apply([&](auto... points) { return (tried(points) || ...); }, Shapes());
}

/// Threads that have registers for so many 32-bit words of points and as much again beside them.
constexpr int most_threads(int words) { return words >= 64 ? 256 : words >= 32 ? 512 : 1024; }

/// All that the kernel needs to know; in points of a plane and of a tile.
struct Tiling {
  int nx, ny, tiles_x, tiles_y, inner_x, inner_y, margin, lanes, rings, buffers;
  bool packed;  ///< whether rows of a thread's columns never cross a seam or the end of an inner part
  int steps;
};

/// deferred: DeferredScale, for alpha = 1/32.
template <class T, int rows, int columns, bool deferred>
struct AdvanceTile {
  using Tile = RegisterTile<T, rows, columns>;
  using Row = typename Tile::Row;
  using Policy =
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<most_threads(rows* columns* int(sizeof(T)) / 4), 1>>;
  using Member = typename Policy::member_type;
  Tiling cut;
  const T* in;
  T* out;
  T alpha;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const TilePlace at(team.team_rank(), cut.lanes, cut.rings);
    const int edge_rows = Tile::edge_rows(cut.lanes, cut.rings);
    Row* const edges =
        compat::scratch_of<Row>(team, std::size_t(cut.buffers) * std::size_t(edge_rows) * sizeof(Row));
    const int of_plane = cut.tiles_y * cut.tiles_x, plane = team.league_rank() / of_plane,
              tile = team.league_rank() - plane * of_plane, tile_y = tile / cut.tiles_x,
              tile_x = tile - tile_y * cut.tiles_x;
    const std::size_t offset = std::size_t(plane) * cut.ny * cut.nx;
    // Of the thread's first point: in the tile's inner part, and in the plane.
    const int first_row = at.ring * rows - cut.margin, first_column = at.lane * columns - cut.margin;
    const int j0 = tile_y * cut.inner_y + first_row, i0 = tile_x * cut.inner_x + first_column;

    Tile t;
    load(t, in + offset, j0, i0);
    const LaneRing ring(at);
    using Scaled = DeferredScale<T>;
    for (int step = 0; step < cut.steps; ++step) {
      t.template step<deferred>(at, ring, alpha, edges + (cut.buffers == 2 ? (step & 1) * edge_rows : 0),
                                cut.buffers == 1, [&] { team.team_barrier(); });
      if (deferred && step % Scaled::steps == Scaled::steps - 1) t.scale(T(Scaled::all));
    }
    if (deferred) t.scale(Scaled::factor(cut.steps % Scaled::steps));
    if (at.active) store(t, out + offset, j0, i0, first_row, first_column);
  }

  KOKKOS_INLINE_FUNCTION void load(Tile& t, const T* plane, int j0, int i0) const {
    const int nx = cut.nx;
    int j = modulo(j0, cut.ny), column[columns];
    PARITY_UNROLL
    for (int i = 0; i < columns; ++i) column[i] = modulo(i0 + i, nx);
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      const T* const from = plane + std::size_t(j) * nx;
      if (cut.packed) {
        t.row[r] = *reinterpret_cast<const Row*>(from + column[0]);
      } else {
        PARITY_UNROLL
        for (int i = 0; i < columns; ++i) t.row[r].v[i] = from[column[i]];
      }
      j = j + 1 < cut.ny ? j + 1 : 0;
    }
  }
  /// The tile's inner part, as far as the plane goes.
  KOKKOS_INLINE_FUNCTION void store(const Tile& t, T* plane, int j0, int i0, int first_row,
                                    int first_column) const {
    const auto inside = [](int in_tile, int inner, int in_plane, int n) {
      return in_tile >= 0 && in_tile < inner && in_plane < n;
    };
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (!inside(first_row + r, cut.inner_y, j0 + r, cut.ny)) continue;
      T* const to = plane + std::size_t(j0 + r) * cut.nx + i0;
      if (cut.packed) {
        if (inside(first_column, cut.inner_x, i0, cut.nx)) *reinterpret_cast<Row*>(to) = t.row[r];
      } else {
        PARITY_UNROLL
        for (int i = 0; i < columns; ++i)
          if (inside(first_column + i, cut.inner_x, i0 + i, cut.nx)) to[i] = t.row[r].v[i];
      }
    }
  }
};

/// A plane that one warp holds: no scratch memory, no barrier.
template <class T, int rows, int columns, bool deferred>
struct AdvanceWarpPlane {
  using Plane = WarpPlane<T, rows, columns, 8>;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32, 1>>;
  using Row = typename RegisterTile<T, rows, columns>::Row;
  const T* in;
  T* out;
  T alpha;
  int steps;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    Plane p(WarpLanes{team.team_rank()});
    const std::size_t at = (std::size_t(team.league_rank()) * Plane::ny + p.y) * Plane::nx + p.x;
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Row row = *reinterpret_cast<const Row*>(in + at + r * Plane::nx);
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) p.v[r][i] = row.v[i];
    }
    p.template advance<deferred>(alpha, steps);
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      Row row;
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) row.v[i] = p.v[r][i];
      *reinterpret_cast<Row*>(out + at + r * Plane::nx) = row;
    }
  }
};

/// f(Points) for the points that a lane of a warp has of such planes; false where no warp holds them. One
/// scheduler has a quarter of a multiprocessor's double units, and 32 x 32 values keep them busy for longer
/// than a barrier of four warps takes.
template <class F>
bool with_warp_plane(const Problem& p, const F& f) {
  const auto is_plane = [&](auto points) {
    using Plane = WarpPlane<float, points.rows, points.columns, 8>;
    return p.nx == Plane::nx && p.ny == Plane::ny;
  };
  if (is_plane(Points<4, 2>()))
    f(Points<4, 2>());
  else if (is_plane(Points<8, 4>()) && p.precision == Precision::f32)
    f(Points<8, 4>());
  else
    return false;
  return true;
}

std::int64_t bytes_of_edges(const TileShape& s, Precision precision, int buffers) {
  return buffers * std::int64_t(4) * s.rings * s.tile_columns() * std::int64_t(runtime::bytes_of(precision)) +
         16;
}
bool fits(const TileShape& s, Precision precision, int buffers) {
  return scratch_level(bytes_of_edges(s, precision, buffers)) == 0;
}

}  // namespace

int TileShape::threads() const {
  const int all = rings * TilePlace::ring_width(lanes);
  return (all + 31) / 32 * 32;
}

std::optional<std::string> TileShape::refuse(Precision precision) const {
  const std::string points = std::to_string(rows) + "x" + std::to_string(columns) + " points";
  int most = 0;
  if (!with_shape(*this, [&](auto shape) {
        most = most_threads(shape.rows * shape.columns * int(runtime::bytes_of(precision)) / 4);
      }))
    return "a thread with " + points + " is not compiled: take 16x4, 8x4, 4x4, 8x2, 4x2 or 4x1";
  if (lanes > 32)
    return "rows of " + std::to_string(tile_columns()) + " points need more than the 32 lanes of a warp, " +
           std::to_string(columns) + " columns each";
  if (rings > most || threads() > most)
    return "a tile of " + std::to_string(tile_columns()) + "x" + std::to_string(std::int64_t(rows) * rings) +
           " points needs more than the " + std::to_string(most) + " threads that have registers for " +
           points + " each";
  if (!fits(*this, precision, 1)) return "the edges of its rings do not fit Kokkos' scratch memory";
  return std::nullopt;
}

bool fits_a_warp(const Problem& p) {
  return with_warp_plane(p, [](auto) {});
}

TileShape shape_for_plane(const Problem& p) {
  TileShape best{16, 4, 0, 0};
  double least = std::numeric_limits<double>::infinity();
  const auto compare = [&](auto points) {
    const TileShape s{points.rows, points.columns, int(p.nx) / points.columns, int(p.ny) / points.rows};
    if (p.nx % s.columns != 0 || p.ny % s.rows != 0 || s.refuse(p.precision)) return;
    // Four schedulers share the warps; of each thread's rows two more are computed.
    const double instructions = (s.threads() / 32 + 3) / 4 * (s.rows + 2) * s.columns;
    if (instructions >= least) return;
    least = instructions;
    best = s;
  };
  std::apply([&](auto... points) { (compare(points), ...); }, Shapes());
  return best;
}

template <class T>
void advance_planes_in_warps(const Exec& exec, const char* label, const Problem& p, const T* in, T* out) {
  with_warp_plane(p, [&](auto points) {
    using P = decltype(points);
    const auto launch = [&](auto deferred) {
      using Advance = AdvanceWarpPlane<T, P::rows, P::columns, decltype(deferred)::value>;
      Kokkos::parallel_for(label, typename Advance::Policy(exec, int(p.nz), 32, 1),
                           Advance{in, out, T(p.alpha), int(p.steps)});
    };
    if (p.alpha == DeferredScale<T>::alpha)
      launch(std::true_type());
    else
      launch(std::false_type());
  });
}
template void advance_planes_in_warps(const Exec&, const char*, const Problem&, const float*, float*);
template void advance_planes_in_warps(const Exec&, const char*, const Problem&, const double*, double*);

template <class T>
void advance_tiles(const Exec& exec, const char* label, const Problem& p, const TileLaunch& launch,
                   const T* in, T* out) {
  const TileShape& shape = launch.shape;
  Tiling cut;
  cut.nx = int(p.nx), cut.ny = int(p.ny);
  cut.margin = launch.margin;
  cut.inner_x = shape.tile_columns() - 2 * launch.margin;
  cut.inner_y = shape.tile_rows() - 2 * launch.margin;
  cut.tiles_x = (cut.nx + cut.inner_x - 1) / cut.inner_x;
  cut.tiles_y = (cut.ny + cut.inner_y - 1) / cut.inner_y;
  cut.lanes = shape.lanes, cut.rings = shape.rings;
  cut.buffers = fits(shape, p.precision, 2) ? 2 : 1;
  cut.packed =
      cut.nx % shape.columns == 0 && cut.margin % shape.columns == 0 && cut.inner_x % shape.columns == 0;
  cut.steps = int(launch.steps);
  with_shape(shape, [&](auto points) {
    using P = decltype(points);
    const auto start = [&](auto deferred) {
      using Advance = AdvanceTile<T, P::rows, P::columns, decltype(deferred)::value>;
      typename Advance::Policy policy(exec, int(p.nz) * cut.tiles_y * cut.tiles_x, shape.threads(), 1);
      policy.set_scratch_size(0, Kokkos::PerTeam(int(bytes_of_edges(shape, p.precision, cut.buffers))));
      Kokkos::parallel_for(label, policy, Advance{cut, in, out, T(p.alpha)});
    };
    if (p.alpha == DeferredScale<T>::alpha && launch.puts_off(p.precision))
      start(std::true_type());
    else
      start(std::false_type());
  });
}
template void advance_tiles(const Exec&, const char*, const Problem&, const TileLaunch&, const float*,
                            float*);
template void advance_tiles(const Exec&, const char*, const Problem&, const TileLaunch&, const double*,
                            double*);

}  // namespace parity::diffusion
