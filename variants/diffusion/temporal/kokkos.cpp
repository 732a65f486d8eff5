// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-temporal: several steps a pass. On a CPU a team streams rows through a chain of steps
// in its cache, as openmp-temporal does; on a GPU it holds a tile and what surrounds it in registers.
#include "backend/kokkos/diffusion/register_tiles.hpp"
#include "backend/kokkos/diffusion/whole.hpp"
#include "row_pipeline.hpp"

namespace parity::diffusion {
namespace {

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

/// Tuning: steps a pass x rows x columns of a thread x rings of 32 threads.
template <class T>
struct TilePass {
  TileShape shape;
  TilePass(const Problem&, const Tuning& t, const Exec&) : shape{t[1], t[2], 32, t[3]} {}
  void operator()(const Exec& exec, const Problem& p, int pass_steps, const T* in, T* out) const {
    advance_tiles<T>(exec, "parity::diffusion::team_temporal", p, {shape, pass_steps, 2 * pass_steps}, in,
                     out);
  }
};

template <class T>
struct TeamTemporal {
  Fields<T> f;
  Passes passes;
  std::conditional_t<teams_on_device, TilePass<T>, PipelinePass<T>> advance;
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

Entry temporal_kokkos() {
  Entry e = kokkos_entry({"4x16x4x8", "2x16x4x8", "6x16x4x8", "8x16x4x8", "4x8x4x16", "4x8x4x8"},
      {"8x1024", "4x1024", "16x1024", "8x512", "8x4096", "3x16"},
      compat::exec_is_device() ? "steps a pass x rows x columns of a thread x rings of threads"
                               : "steps a pass x columns of a strip");
  e.refuse = compat::exec_is_device() ? refuse_tile : refuse_pipeline;
  e.model = [](const Problem& p, const Tuning& t) {
    return cost_per_pass(p, steps_a_pass(p, t),
                         compat::exec_is_device() ? flops_by_pairs(p) : two_stage_flops);
  };
  return with_run<TeamTemporal>(e);
}

}  // namespace parity::diffusion
