// SPDX-License-Identifier: BSD-3-Clause
// plane_registers, Kokkos: one flat team takes a plane through all steps in one launch; threads pass columns
// on by shuffles and outer rows through scratch memory. The smallest planes are in the registers of one warp.
#include <limits>
#include <tuple>

#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "register_tile.hpp"
#include "runtime/kokkos/team_hints.hpp"
#include "warp_plane.hpp"

namespace parity::diffusion::plane_registers {
namespace {

/// Largest team whose threads have registers for 'words' 32-bit words of points and as many of sums.
constexpr int most_threads(int words) { return words >= 64 ? 256 : words >= 32 ? 512 : 1024; }
template <class T, int rows, int columns>
using RegisterTeams =
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<most_threads(rows* columns* int(sizeof(T)) / 4), 1>>;

/// Advances a plane of (rings x rows, lanes x columns) in place. deferred: DeferredScale, for alpha = 1/32.
template <class T, int rows, int columns, bool deferred>
struct AdvancePlane {
  using Tile = RegisterTile<T, rows, columns>;
  using Row = typename Tile::Row;
  using Policy = RegisterTeams<T, rows, columns>;
  T* field;
  T alpha;
  int lanes, rings, buffers, steps;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    using Scaled = DeferredScale<T>;
    const TilePlace at(team.team_rank(), lanes, rings);
    const LaneRing<> ring(at);
    const int edge_rows = Tile::edge_rows(lanes, rings), nx = lanes * columns, ny = rings * rows;
    Row* const edges =
        compat::scratch_of<Row>(team, std::size_t(buffers) * std::size_t(edge_rows) * sizeof(Row));
    T* const points =
        field + (std::size_t(team.league_rank()) * ny + at.ring * rows) * nx + at.lane * columns;

    Tile t;
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) t.row[r] = *reinterpret_cast<const Row*>(points + r * nx);
    for (int step = 0; step < steps; ++step) {
      t.template step<deferred>(at, ring, alpha, edges + (buffers == 2 ? (step & 1) * edge_rows : 0),
                                buffers == 1, [&] { team.team_barrier(); });
      if (deferred && step % Scaled::steps == Scaled::steps - 1) t.scale(T(Scaled::all));
    }
    if (deferred) t.scale(Scaled::factor(steps % Scaled::steps));
    if (!at.active) return;
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) *reinterpret_cast<Row*>(points + r * nx) = t.row[r];
  }
};

/// Advances a plane that one warp holds, in place, without scratch memory and without barrier.
template <class T, int rows, int columns, bool deferred>
struct AdvanceWarpPlane {
  using Plane = WarpPlane<T, rows, columns, 8>;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<32, 1>>;
  using Row = typename RegisterTile<T, rows, columns>::Row;
  T* field;
  T alpha;
  int steps;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
    using Scaled = DeferredScale<T>;
    Plane plane(WarpLanes{team.team_rank()});
    T* const points = field + (std::size_t(team.league_rank()) * Plane::ny + plane.y) * Plane::nx + plane.x;
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Row row = *reinterpret_cast<const Row*>(points + r * Plane::nx);
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) plane.v[r][i] = row.v[i];
    }
    int left = steps;
    PARITY_UNROLL_BY(1)
    for (; left >= Scaled::steps; left -= Scaled::steps) {
      PARITY_UNROLL_BY(4)
      for (int s = 0; s < Scaled::steps; ++s) plane.template step<deferred>(alpha);
      if (deferred) plane.scale(T(Scaled::all));
    }
    PARITY_UNROLL_BY(1)
    for (int s = 0; s < left; ++s) plane.template step<deferred>(alpha);
    if (deferred) plane.scale(Scaled::factor(left));
    PARITY_UNROLL
    for (int r = 0; r < rows; ++r) {
      Row row;
      PARITY_UNROLL
      for (int i = 0; i < columns; ++i) row.v[i] = plane.v[r][i];
      *reinterpret_cast<Row*>(points + r * Plane::nx) = row;
    }
  }
};

/// Rows x columns per thread.
template <int r, int c>
struct ThreadPoints {
  static constexpr int rows = r, columns = c;
};
using AllThreadPoints = std::tuple<ThreadPoints<16, 4>, ThreadPoints<8, 4>, ThreadPoints<4, 4>,
                                   ThreadPoints<8, 2>, ThreadPoints<4, 2>, ThreadPoints<4, 1>>;

/// Rows and columns per thread, lanes per ring, and rings per tile.
struct TileShape {
  int rows, columns, lanes, rings;

  int tile_rows() const { return rows * rings; }
  int tile_columns() const { return columns * lanes; }
  /// Whole warps, because all lanes of a warp take part in shuffles.
  int threads() const { return (rings * TilePlace::ring_width(lanes) + 31) / 32 * 32; }

  /// Calls f with the ThreadPoints of this shape; returns false if they are not compiled.
  template <class F>
  bool with_points(const F& f) const {
    const auto tried = [&](auto points) {
      if (points.rows != rows || points.columns != columns) return false;
      f(points);
      return true;
    };
    return std::apply([&](auto... points) { return (tried(points) || ...); }, AllThreadPoints());
  }

  /// Bytes of the rows that rings exchange, in one buffer or in two.
  std::int64_t bytes_of_edges(Precision precision, int buffers) const {
    return buffers * std::int64_t(4) * rings * tile_columns() * std::int64_t(runtime::bytes_of(precision)) +
           16;
  }
  bool fits(Precision precision, int buffers) const {
    return scratch_level(bytes_of_edges(precision, buffers)) == 0;
  }

  /// Returns the reason why no team can hold the tile here, or nullopt.
  std::optional<std::string> refuse(Precision precision) const {
    const std::string points = std::to_string(rows) + "x" + std::to_string(columns) + " points";
    int most = 0;
    if (!with_points([&](auto shape) {
          most = most_threads(shape.rows * shape.columns * int(runtime::bytes_of(precision)) / 4);
        }))
      return "a thread with " + points + " is not compiled: take 16x4, 8x4, 4x4, 8x2, 4x2 or 4x1";
    if (lanes > 32)
      return "rows of " + std::to_string(tile_columns()) + " points need more than the 32 lanes of a warp, " +
             std::to_string(columns) + " columns each";
    if (rings > most || threads() > most)
      return "a tile of " + std::to_string(tile_columns()) + "x" +
             std::to_string(std::int64_t(rows) * rings) + " points needs more than the " +
             std::to_string(most) + " threads that have registers for " + points + " each";
    if (!fits(precision, 1)) return "the edges of its rings do not fit Kokkos' scratch memory";
    return std::nullopt;
  }
};

/// True for tuning 1x1, which chooses the fastest form for the plane.
bool is_free(const Tuning& t) { return t[0] == 1 && t[1] == 1; }

/// Calls f with the ThreadPoints of a lane, if one warp should hold such planes. One scheduler has a quarter
/// of a multiprocessor's double units, and 32 x 32 values keep them busy for longer than a barrier of four
/// warps takes.
template <class F>
bool with_warp_plane(const Problem& p, const Tuning& t, const F& f) {
  const bool small = p.nx == 16 && p.ny == 16,
             large = p.nx == 32 && p.ny == 32 && p.precision == Precision::f32;
  if (!is_free(t) || !(small || large)) return false;
  small ? f(ThreadPoints<4, 2>()) : f(ThreadPoints<8, 4>());
  return true;
}
bool fits_a_warp(const Problem& p, const Tuning& t) {
  return with_warp_plane(p, t, [](auto) {});
}

/// The tuning's shape, or for 1x1 the one expected to be fastest; rings = 0 if none divides the plane.
TileShape shape_of(const Problem& p, const Tuning& t) {
  if (!is_free(t)) return {t[0], t[1], int(p.nx) / t[1], int(p.ny) / t[0]};
  TileShape best{16, 4, 0, 0};
  double least = std::numeric_limits<double>::infinity();
  const auto compare = [&](auto points) {
    const TileShape s{points.rows, points.columns, int(p.nx) / points.columns, int(p.ny) / points.rows};
    if (p.nx % s.columns != 0 || p.ny % s.rows != 0 || s.refuse(p.precision)) return;
    // Four schedulers share the warps; each thread computes two additional rows.
    const double instructions = (s.threads() / 32 + 3) / 4 * (s.rows + 2) * s.columns;
    if (instructions >= least) return;
    least = instructions;
    best = s;
  };
  std::apply([&](auto... points) { (compare(points), ...); }, AllThreadPoints());
  return best;
}

/// True if the kernel defers scaling. By measurement, threads of 8 x 4 floats are faster without it.
bool defers_scaling(const Problem& p, const Tuning& t) {
  if (fits_a_warp(p, t)) return true;
  const TileShape shape = shape_of(p, t);
  return !(p.precision == Precision::f32 && shape.rows == 8 && shape.columns == 4);
}

template <class T>
struct TeamRegisters {
  Fields<T> f;
  Tuning tuning;
  TeamRegisters(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tuning(t) {}
  int operator()() const {
    if (f.p.alpha == DeferredScale<T>::alpha && defers_scaling(f.p, tuning))
      advance<true>();
    else
      advance<false>();
    return 0;
  }
  template <bool deferred>
  void advance() const {
    const char* const label = "parity::diffusion::team_registers";
    const Problem& p = f.p;
    const bool in_warps = with_warp_plane(p, tuning, [&](auto points) {
      using Advance = AdvanceWarpPlane<T, points.rows, points.columns, deferred>;
      Kokkos::parallel_for(label, typename Advance::Policy(f.exec, int(p.nz), 32, 1),
                           Advance{f[0].data(), T(p.alpha), int(p.steps)});
    });
    if (in_warps) return;
    const TileShape shape = shape_of(p, tuning);
    const int buffers = shape.fits(p.precision, 2) ? 2 : 1;
    shape.with_points([&](auto points) {
      using Advance = AdvancePlane<T, points.rows, points.columns, deferred>;
      typename Advance::Policy policy(f.exec, int(p.nz), shape.threads(), 1);
      policy.set_scratch_size(0, Kokkos::PerTeam(int(shape.bytes_of_edges(p.precision, buffers))));
      Kokkos::parallel_for(label, policy,
                           Advance{f[0].data(), T(p.alpha), shape.lanes, shape.rings, buffers, int(p.steps)});
    });
  }
};

}  // namespace

Entry kokkos() {
  Entry e = kokkos_entry({"1x1", "16x4", "8x4", "4x4", "8x2", "4x2", "4x1"}, {"1x1"},
                         "rows x columns of a thread; 1x1: what suits the plane");
  if (!compat::exec_is_device())
    e.unavailable = "its planes are in the registers of a GPU's threads, and this Kokkos runs on the host";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    const std::string plane =
        "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) + " points does not divide into ";
    if (const auto reason = refuse_many_points(p, t)) return reason;
    if (fits_a_warp(p, t)) return std::nullopt;
    const TileShape shape = shape_of(p, t);
    if (shape.rings == 0 && is_free(t)) return plane + "equal threads, or not into few enough for a team";
    if (p.nx % shape.columns != 0 || p.ny % shape.rows != 0)
      return plane + "threads of " + std::to_string(t[1]) + " columns and " + std::to_string(t[0]) + " rows";
    return shape.refuse(p.precision);
  };
  e.model = [](const Problem& p, const Tuning& t) { return cost(p, defers_scaling(p, t)); };
  return with_run<TeamRegisters>(e);
}

}  // namespace parity::diffusion::plane_registers
