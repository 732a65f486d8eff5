// SPDX-License-Identifier: BSD-3-Clause
// temporal_tile, Kokkos, on a GPU: a team holds a tile and what surrounds it in registers for all steps of a
// pass, then writes the tile.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/register_tiles.hpp"
#include "backend/kokkos/diffusion/whole.hpp"

namespace parity::diffusion::temporal_tile {
namespace {

/// How planes are cut into tiles, in points.
struct Tiling {
  int nx, ny, tiles_x, tiles_y, inner_x, inner_y;
  int margin;  ///< points at each end of a tile that are right before the steps only
  int lanes, rings, buffers;
  bool packed;  ///< whether rows of a thread's columns never cross a seam or the end of an inner part
  int steps;
};

/// A tile of a plane from 'in' to 'out', its inner part alone. deferred: DeferredScale, for alpha = 1/32.
template <class T, int rows, int columns, bool deferred>
struct AdvanceTile {
  using Tile = RegisterTile<T, rows, columns>;
  using Row = typename Tile::Row;
  using Policy = RegisterTeams<T, rows, columns>;
  Tiling cut;
  const T* in;
  T* out;
  T alpha;

  KOKKOS_INLINE_FUNCTION void operator()(const typename Policy::member_type& team) const {
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
    const LaneRing<> ring(at);
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

/// Tuning: steps a pass x rows x columns of a thread x rings of 32 threads.
template <class T>
struct TeamTile {
  Fields<T> f;
  Passes passes;
  TileShape shape;
  TeamTile(const Problem& p, const Tuning& t)
      : f(Fields<T>::periodic(p)), passes{p.steps, steps_a_pass(p, t)}, shape{t[1], t[2], 32, t[3]} {}
  int operator()() const {
    int at = 0;
    for (std::int64_t pass = 0; pass < passes.count(); ++pass, at = 1 - at)
      if constexpr (teams_on_device) advance(int(passes.steps_of(pass)), f[at].data(), f[1 - at].data());
    return at;
  }
  void advance(int steps, const T* in, T* out) const {
    Tiling cut;
    cut.nx = int(f.p.nx), cut.ny = int(f.p.ny);
    cut.margin = 2 * steps;
    cut.inner_x = shape.tile_columns() - 2 * cut.margin, cut.inner_y = shape.tile_rows() - 2 * cut.margin;
    cut.tiles_x = (cut.nx + cut.inner_x - 1) / cut.inner_x;
    cut.tiles_y = (cut.ny + cut.inner_y - 1) / cut.inner_y;
    cut.lanes = shape.lanes, cut.rings = shape.rings;
    cut.buffers = shape.fits(f.p.precision, 2) ? 2 : 1;
    cut.packed =
        cut.nx % shape.columns == 0 && cut.margin % shape.columns == 0 && cut.inner_x % shape.columns == 0;
    cut.steps = steps;
    shape.with_points([&](auto points) {
      const auto launch = [&](auto tile) {
        typename decltype(tile)::Policy policy(f.exec, int(f.p.nz) * cut.tiles_y * cut.tiles_x,
                                               shape.threads(), 1);
        policy.set_scratch_size(0, Kokkos::PerTeam(int(shape.bytes_of_edges(f.p.precision, cut.buffers))));
        Kokkos::parallel_for("parity::diffusion::temporal_tile", policy, tile);
      };
      if (f.p.alpha == DeferredScale<T>::alpha)
        launch(AdvanceTile<T, points.rows, points.columns, true>{cut, in, out, T(f.p.alpha)});
      else
        launch(AdvanceTile<T, points.rows, points.columns, false>{cut, in, out, T(f.p.alpha)});
    });
  }
};

std::optional<std::string> refuse_tile(const Problem& p, const Tuning& t) {
  const TileShape shape{t[1], t[2], 32, t[3]};
  if (const auto reason = refuse_many_points(p, t)) return reason;
  if (const auto reason = shape.refuse(p.precision)) return reason;
  if (4 * std::int64_t(t[0]) >= std::min(shape.tile_rows(), shape.tile_columns()))
    return "a tile of " + std::to_string(shape.tile_columns()) + "x" + std::to_string(shape.tile_rows()) +
           " points has no middle left after " + std::to_string(t[0]) + " steps";
  return std::nullopt;
}

}  // namespace

Entry kokkos() {
  Entry e = kokkos_entry({"4x16x4x8", "2x16x4x8", "6x16x4x8", "8x16x4x8", "4x8x4x16", "4x8x4x8"},
                         {"4x16x4x8"}, "steps a pass x rows x columns of a thread x rings of threads");
  if (!compat::exec_is_device())
    e.unavailable =
        "its tiles are in the registers of a GPU's threads, and this Kokkos runs on the host: take "
        "kokkos-temporal";
  e.refuse = refuse_tile;
  e.model = [](const Problem& p, const Tuning& t) { return cost(p, steps_a_pass(p, t), flops_by_pairs(p)); };
  return with_run<TeamTile>(e);
}

}  // namespace parity::diffusion::temporal_tile
