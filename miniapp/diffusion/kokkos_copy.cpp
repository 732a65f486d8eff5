// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-copy: the field copied in each step; the floor of every variant that reads and writes it.
#include "diffusion/column.hpp"
#include "diffusion/kokkos_steps.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosCopy : public KokkosSteps<T, KokkosCopy<T>> {
 public:
  KokkosCopy(const Problem& p, const Tuning&)
      : KokkosSteps<T, KokkosCopy<T>>(p, 0, packs_in_row<T>(p.nx) * pack_width<T>) {}

  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const auto* const in = reinterpret_cast<const Pack<T>*>(from.data());
    auto* const out = reinterpret_cast<Pack<T>*>(to.data());
    queue.parallel_for(
        "parity::diffusion::copy",
        Range1<std::int64_t>(queue.exec(), 0, std::int64_t(from.size()) / pack_width<T>),
        KOKKOS_LAMBDA(std::int64_t n) { out[n] = in[n]; });
  }
};

}  // namespace

Entry kokkos_copy() {
  Entry e = kokkos_entry("kokkos-copy", "floor: the field copied in each step, 16 bytes a thread",
                         twin_of("cuda-copy", ""), {}, {}, "");
  e.computes = Computes::identity;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, 0); };
  return with_steps<KokkosCopy>(e);
}

}  // namespace parity::diffusion
