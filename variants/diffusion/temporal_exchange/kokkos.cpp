// SPDX-License-Identifier: BSD-3-Clause
// temporal_exchange, Kokkos: runs the passes of kokkos-temporal.
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
  Entry e = algorithm();
  e.tunings = {"8x1", "4x1", "16x1", "3x2"};
  if (compat::exec_is_device())
    e.unavailable =
        "its rows are in a core's cache, and this Kokkos runs on a GPU: take "
        "kokkos-temporal-exchange-tuned";
  e.model = [](const Problem& p, const Tuning& t) {
    return cost_of_passes(p, Passes{p.steps, t[0]}.count(), 3.0 * t[1], two_stage_flops);
  };
  return with_exchange<RankPart, Form>(e);
}

}  // namespace parity::diffusion::temporal_exchange
