// SPDX-License-Identifier: BSD-3-Clause
// temporal, Kokkos, on a CPU: a team streams rows through a chain of steps in its core's cache.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "row_pipeline.hpp"

namespace parity::diffusion::temporal {
namespace {

/// Advances the n-th piece of 'in' by 'steps' into 'out', both (nz, ny, nx). space: pipeline_room values.
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
    if constexpr (!teams_on_device) launch(exec, p, pass_steps, in, out);
  }
  void launch(const Exec& exec, const Problem& p, int pass_steps, const T* in, T* out) const {
    const int level = scratch_level(scratch_bytes<T>(room));
    TeamPolicy policy(exec, int(cuts.pieces()), 1, 1);
    policy.set_scratch_size(level, Kokkos::PerTeam(int(scratch_bytes<T>(room))));
    const T alpha = T(p.alpha);
    const Cuts c = cuts;
    const std::int64_t values = room;
    Kokkos::parallel_for(
        "parity::diffusion::temporal", policy, KOKKOS_LAMBDA(const Team& team) {
          advance_piece(c, team.league_rank(), in, out, pass_steps, alpha,
                        team_scratch<T>(team, level, values));
        });
  }
};

template <class T>
struct RowTemporal {
  Fields<T> f;
  Passes passes;
  PipelinePass<T> advance;
  RowTemporal(const Problem& p, const Tuning& t)
      : f(Fields<T>::periodic(p)), passes{p.steps, steps_a_pass(p, t)}, advance(p, t, f.exec) {}
  int operator()() const {
    int at = 0;
    for (std::int64_t pass = 0; pass < passes.count(); ++pass, at = 1 - at)
      advance(f.exec, f.p, passes.steps_of(pass), f[at].data(), f[1 - at].data());
    return at;
  }
};

}  // namespace
}  // namespace parity::diffusion::temporal

namespace parity::diffusion {

template <class T>
PassOf<T> temporal_pass(const Problem& p, int most_steps, const Exec& exec) {
  return [=, pass = temporal::PipelinePass<T>(p, Tuning{{most_steps, 1024}}, exec)](int left, const T* in,
                                                                                    T* out) {
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
  Entry e = kokkos_entry({"8x1024"}, {"8x1024", "4x1024", "16x1024", "8x512", "8x4096", "3x16"},
                         "steps a pass x columns of a strip");
  if (compat::exec_is_device())
    e.unavailable =
        "its rows are in a core's cache, and this Kokkos runs on a GPU: take kokkos-temporal-tuned";
  e.refuse = refuse_pipeline;
  e.model = [](const Problem& p, const Tuning& t) { return cost(p, steps_a_pass(p, t), two_stage_flops); };
  return with_run<RowTemporal>(e);
}

}  // namespace parity::diffusion::temporal
