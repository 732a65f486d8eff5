// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-baseline: elementary operations only, the first study's baseline. The flat padded field is
// scaled and added, shifted by one neighbour at a time; what lands in the halo is garbage and is overwritten
// by the next halo copies.
#include "diffusion/kokkos_two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosBaseline : public KokkosTwoStage<T, KokkosBaseline<T>> {
 public:
  KokkosBaseline(const Problem& p, const Tuning&) : KokkosTwoStage<T, KokkosBaseline<T>>(p) {}

  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    this->copy_halo(queue, in);
    laplacian_by_operations(queue, in, this->tmp_);
    laplacian_by_operations(queue, this->tmp_, out);
    this->update_by_operations(queue, in, out);
  }
  template <class Queue>
  void enqueue_finish(Queue& queue, const Field<T>& f) const {
    this->copy_halo(queue, f);
  }

 private:
  template <class Queue>
  void laplacian_by_operations(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const std::int64_t pitch = this->p_.pitch();
    this->scale(queue, from, to, T(laplacian_centre_weight));
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -pitch, pitch})
      this->add(queue, from, shift, to);
  }
};

}  // namespace

Entry kokkos_baseline() {
  Entry e = kokkos_entry("kokkos-baseline", "elementary operations: scale, shifted adds, halo by copies",
                         twin_of("cuda-baseline", "openmp-baseline"), {}, {}, "");
  e.fields = 3;
  e.model = [](const Problem& p) { return cost_per_step(p, 16, 33, 20); };
  return with_steps<KokkosBaseline>(e);
}

}  // namespace parity::diffusion
