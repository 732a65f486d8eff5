// SPDX-License-Identifier: BSD-3-Clause
// temporal_exchange, Kokkos: the passes of kokkos-temporal.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"

namespace parity::diffusion::temporal_exchange {
namespace {

template <class T>
struct RankPart : PartInPasses<T> {
  RankPart(const Problem& part, const Margin& depth, const Tuning& t)
      : PartInPasses<T>(part, depth, [&](const Exec& exec) {
          return temporal_pass<T>(as_plane(part, depth), steps_a_pass(part, t), exec);
        }) {}
};

}  // namespace

Entry kokkos() {
  Entry e = entry();
  const Entry here = kokkos_entry({"4x2", "6x2", "4x1", "2x2"}, {"8x1", "4x1", "16x1", "3x2"}, "");
  e.tunings = here.tunings;
  if (compat::exec_is_device())
    e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
      if (t[0] > 8) return "a pass has at most 8 steps: a tile would have little middle left";
      const Margin depth = depth_of(p, Algorithm::form, t);
      if (const auto why = refuse_many_points(as_plane(part_of(p, 0).local, depth), t)) return why;
      return refuse_small_parts(p, depth);
    };
  e.model = [](const Problem& p, const Tuning& t) {
    return cost_of_passes(p, Passes{p.steps, t[0]}.count(), 3.0 * t[1],
                          compat::exec_is_device() ? flops_by_pairs(p) : two_stage_flops);
  };
  return with_exchange<RankPart, Algorithm>(e);
}

}  // namespace parity::diffusion::temporal_exchange
