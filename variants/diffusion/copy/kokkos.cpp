// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-copy: the field copied in each step; the floor of every variant that reads and writes it.
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct Copy {
  Fields<T> f;
  Copy(const Problem& p, const Tuning&) : f(Fields<T>::packed(p)) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const auto* const in = reinterpret_cast<const Pack<T>*>(from.data());
    auto* const out = reinterpret_cast<Pack<T>*>(to.data());
    queue.parallel_for(
        "parity::diffusion::copy",
        Range1<std::int64_t>(queue.exec(), 0, std::int64_t(from.size()) / pack_width<T>),
        KOKKOS_LAMBDA(std::int64_t n) { out[n] = in[n]; });
  }
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};

}  // namespace

Entry copy_kokkos() {
  Entry e = kokkos_entry({}, {}, "");
  e.floor = true;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, 0); };
  return with_steps<Copy>(e);
}

}  // namespace parity::diffusion
