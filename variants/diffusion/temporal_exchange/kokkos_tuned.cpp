// SPDX-License-Identifier: BSD-3-Clause
// temporal_exchange, Kokkos, tuned: runs the passes of kokkos-temporal-tuned. Their tiles end at the part's
// edges and read the halo, so that a part costs as much as the same planes alone.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/exchange.hpp"
#include "runtime/exchange_paths.hpp"

namespace parity::diffusion::temporal_exchange {
namespace {

// Its name differs from that of the struct in kokkos.cpp, because an unnamed namespace does not distinguish
// template template arguments.
template <class T>
struct StreamedPart : PartInPasses<T> {
  StreamedPart(const Problem& part, const Margin& depth, const Tuning& t)
      : PartInPasses<T>(part, depth, [&](const Exec& exec) {
          const bool beside = depth.x + depth.y > 0 && t[1] > 1;
          return temporal_tuned_pass<T>(part, depth, exec, beside ? runtime::multiprocessors_beside : 0);
        }) {}
};

}  // namespace

Entry kokkos_tuned() {
  Entry e = algorithm();
  e.tunings = {"8x2", "8x1", "8x4"};
  if (!compat::exec_is_device())
    e.unavailable =
        "its rows are in the registers of a GPU's threads, and this Kokkos runs on the host: take "
        "kokkos-temporal-exchange";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 8) return "a pass has 8 steps";
    const Margin depth = depth_of(p, Form::form, t);
    const Problem plane = as_plane(part_of(p, 0).local, depth);
    if (plane.nx * plane.ny >= 1 << 30) return "a plane of 2^30 points or more: its offsets have 32 bits";
    if (plane.nz * (plane.nx / 256 + 1) > (1 << 30) / 64) return "more tiles than its 32-bit count of them";
    return refuse_small_parts(p, depth);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    return cost_of_passes(p, EvenPasses(p.steps, 8).count(), 3.0 * t[1], flops_by_pairs(p));
  };
  return with_exchange<StreamedPart, Form>(e);
}

}  // namespace parity::diffusion::temporal_exchange
