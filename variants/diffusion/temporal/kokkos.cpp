// SPDX-License-Identifier: BSD-3-Clause
// temporal, Kokkos: several steps a pass. On a GPU a team holds a tile and what surrounds it in registers; on
// a CPU it streams rows through a chain of steps in its cache, as openmp-temporal does.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"
#include "backend/kokkos/diffusion/register_tiles.hpp"
#include "backend/kokkos/diffusion/whole.hpp"
#include "row_pipeline.hpp"

namespace parity::diffusion::temporal {
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
struct TilePass {
  TileShape shape;
  TilePass(const Problem&, const Tuning& t, const Exec&) : shape{t[1], t[2], 32, t[3]} {}
  void operator()(const Exec& exec, const Problem& p, int pass_steps, const T* in, T* out) const {
    Tiling cut;
    cut.nx = int(p.nx), cut.ny = int(p.ny);
    cut.margin = 2 * pass_steps;
    cut.inner_x = shape.tile_columns() - 2 * cut.margin, cut.inner_y = shape.tile_rows() - 2 * cut.margin;
    cut.tiles_x = (cut.nx + cut.inner_x - 1) / cut.inner_x;
    cut.tiles_y = (cut.ny + cut.inner_y - 1) / cut.inner_y;
    cut.lanes = shape.lanes, cut.rings = shape.rings;
    cut.buffers = shape.fits(p.precision, 2) ? 2 : 1;
    cut.packed =
        cut.nx % shape.columns == 0 && cut.margin % shape.columns == 0 && cut.inner_x % shape.columns == 0;
    cut.steps = pass_steps;
    shape.with_points([&](auto points) {
      const auto launch = [&](auto advance) {
        typename decltype(advance)::Policy policy(exec, int(p.nz) * cut.tiles_y * cut.tiles_x,
                                                  shape.threads(), 1);
        policy.set_scratch_size(0, Kokkos::PerTeam(int(shape.bytes_of_edges(p.precision, cut.buffers))));
        Kokkos::parallel_for("parity::diffusion::team_temporal", policy, advance);
      };
      if (p.alpha == DeferredScale<T>::alpha)
        launch(AdvanceTile<T, points.rows, points.columns, true>{cut, in, out, T(p.alpha)});
      else
        launch(AdvanceTile<T, points.rows, points.columns, false>{cut, in, out, T(p.alpha)});
    });
  }
};

/// The n-th piece of 'out', 'steps' steps after 'in', both (nz, ny, nx). space: pipeline_room values.
template <class T>
void advance_piece(const Cuts& c, std::int64_t n, const T* in, T* out, int steps, T alpha, T* space) {
  const Piece piece(c, n);
  const Window window(c, piece.columns, steps);
  RowPipeline<T> pipeline(space, steps, window.columns,
                          c.strips == 1 ? c.nx : RowPipeline<T>::padded(window.columns), alpha);
  const std::int64_t first = modulo(piece.column - window.margin, c.nx);
  const T* const from = in + piece.plane * c.ny * c.nx;
  T* to = out + (piece.plane * c.ny + piece.row) * c.nx + piece.column;
  std::int64_t j = modulo(piece.row - 2 * steps, c.ny);
  for (std::int64_t r = 0; r < piece.rows + 4 * steps; ++r) {
    const T* const row = from + j * c.nx;
    T* const input = pipeline.input();
    for (std::int64_t i = 0, column = first; i < pipeline.columns(); column = 0) {
      const std::int64_t length = std::min(c.nx - column, pipeline.columns() - i);
      std::copy(row + column, row + column + length, input + i);
      i += length;
    }
    j = j + 1 < c.ny ? j + 1 : 0;
    if (const T* const result = pipeline.advance()) {
      std::copy(result + window.margin, result + window.margin + piece.columns, to);
      to += c.nx;
    }
  }
}

/// Tuning: steps a pass x columns of a strip.
template <class T>
struct PipelinePass {
  int steps;
  Cuts cuts;
  std::int64_t room;
  PipelinePass(const Problem& p, const Tuning& t, const Exec& exec)
      : steps(steps_a_pass(p, t)),
        cuts(p, steps, t[1], compat::concurrency(exec)),
        room(pipeline_room<T>(cuts, steps)) {}
  void operator()(const Exec& exec, const Problem& p, int pass_steps, const T* in, T* out) const {
    const int level = scratch_level(scratch_bytes<T>(room));
    TeamPolicy policy(exec, int(cuts.pieces()), 1, 1);
    policy.set_scratch_size(level, Kokkos::PerTeam(int(scratch_bytes<T>(room))));
    const T alpha = T(p.alpha);
    const Cuts c = cuts;
    const std::int64_t values = room;
    Kokkos::parallel_for(
        "parity::diffusion::team_temporal", policy, KOKKOS_LAMBDA(const Team& team) {
          advance_piece(c, team.league_rank(), in, out, pass_steps, alpha,
                        team_scratch<T>(team, level, values));
        });
  }
};

template <class T>
using PlanePass = std::conditional_t<teams_on_device, TilePass<T>, PipelinePass<T>>;

template <class T>
struct TeamTemporal {
  Fields<T> f;
  Passes passes;
  PlanePass<T> advance;
  TeamTemporal(const Problem& p, const Tuning& t)
      : f(Fields<T>::periodic(p)), passes{p.steps, steps_a_pass(p, t)}, advance(p, t, f.exec) {}
  int operator()() const {
    int at = 0;
    for (std::int64_t pass = 0; pass < passes.count(); ++pass, at = 1 - at)
      advance(f.exec, f.p, passes.steps_of(pass), f[at].data(), f[1 - at].data());
    return at;
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
}  // namespace parity::diffusion::temporal

namespace parity::diffusion {

template <class T>
PassOf<T> temporal_pass(const Problem& p, int most_steps, const Exec& exec) {
  const Tuning tuning = teams_on_device ? Tuning{{most_steps, 16, 4, 8}} : Tuning{{most_steps, 1024}};
  return [=, pass = temporal::PlanePass<T>(p, tuning, exec)](int left, const T* in, T* out) {
    const int steps = std::min(most_steps, left);
    pass(exec, p, steps, in, out);
    return steps;
  };
}
template PassOf<float> temporal_pass(const Problem&, int, const Exec&);
template PassOf<double> temporal_pass(const Problem&, int, const Exec&);

}  // namespace parity::diffusion

namespace parity::diffusion::temporal {

Entry kokkos() {
  using namespace temporal;
  Entry e =
      kokkos_entry({"4x16x4x8", "2x16x4x8", "6x16x4x8", "8x16x4x8", "4x8x4x16", "4x8x4x8"},
                   {"8x1024", "4x1024", "16x1024", "8x512", "8x4096", "3x16"},
                   compat::exec_is_device() ? "steps a pass x rows x columns of a thread x rings of threads"
                                            : "steps a pass x columns of a strip");
  e.refuse = compat::exec_is_device() ? refuse_tile : refuse_pipeline;
  e.model = [](const Problem& p, const Tuning& t) {
    return cost(p, steps_a_pass(p, t), compat::exec_is_device() ? flops_by_pairs(p) : two_stage_flops);
  };
  return with_run<TeamTemporal>(e);
}

}  // namespace parity::diffusion::temporal
