// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-empty: a kernel that does nothing in each step; the floor of everything that launches.
#include "diffusion/kokkos_steps.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosEmpty : public KokkosSteps<T, KokkosEmpty<T>> {
 public:
  KokkosEmpty(const Problem& p, const Tuning&) : KokkosSteps<T, KokkosEmpty<T>>(p, 0) {}

  void advance() override {
    KokkosSteps<T, KokkosEmpty<T>>::advance();
    this->result_ = 0;  // nothing was written anywhere
  }
  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>&, const Field<T>&) const {
    queue.parallel_for("parity::diffusion::empty", Range1<int>(queue.exec(), 0, 1), KOKKOS_LAMBDA(int){});
  }
  /// Even the copy of graph-copy must leave field 0 alone.
  void copy_field(const Field<T>& from, const Field<T>& to) const {
    compat::StreamQueue queue(this->exec_);
    enqueue_step(queue, from, to);
  }
  template <class Queue>
  void enqueue_copy(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    enqueue_step(queue, from, to);
  }
};

}  // namespace

Entry kokkos_empty() {
  Entry e = kokkos_entry("kokkos-empty", "floor: one empty kernel a step, the field unchanged",
                         twin_of("cuda-empty", ""), {}, {}, "");
  e.computes = Computes::identity;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 0, 0); };
  return with_steps<KokkosEmpty>(e);
}

}  // namespace parity::diffusion
