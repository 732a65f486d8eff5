// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian-1d: a written Laplacian kernel over a flat range of points; halo and field
// update stay elementary operations.
#include "diffusion/kokkos_two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
class KokkosLaplacian1d : public KokkosTwoStage<T, KokkosLaplacian1d<T>> {
 public:
  KokkosLaplacian1d(const Problem& p, const Tuning&) : KokkosTwoStage<T, KokkosLaplacian1d<T>>(p) {}

  template <class Queue>
  void enqueue_step(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    const int h = int(this->p_.halo);
    this->copy_halo(queue, in);
    laplacian_1d(queue, in, this->tmp_, h - 1);
    laplacian_1d(queue, this->tmp_, out, h);
    this->update_by_operations(queue, in, out);
  }
  template <class Queue>
  void enqueue_finish(Queue& queue, const Field<T>& f) const {
    this->copy_halo(queue, f);
  }

  /// Laplacian everywhere but in a margin of 'm' points around each plane.
  template <class Queue>
  void laplacian_1d(Queue& queue, const Field<T>& from, const Field<T>& to, int m) const {
    const int pitch = int(this->p_.pitch()), rows = int(this->p_.rows()), width = pitch - 2 * m,
              height = rows - 2 * m;
    const T* const f = from.data();
    T* const t = to.data();
    queue.parallel_for(
        "parity::diffusion::laplacian_1d", Range1<int>(queue.exec(), 0, int(this->p_.nz) * height * width),
        KOKKOS_LAMBDA(int n) {
          const int row = n / width, k = row / height;
          const std::size_t c =
              (std::size_t(k) * rows + (row - k * height) + m) * pitch + (n - row * width) + m;
          t[c] = laplacian(f[c], f[c - 1], f[c + 1], f[c - pitch], f[c + pitch]);
        });
  }
};

}  // namespace

Entry kokkos_laplacian_1d() {
  Entry e =
      kokkos_entry("kokkos-laplacian-1d", "written Laplacian (flat range), elementary halo and field update",
                   twin_of("cuda-laplacian-1d", ""), {}, {}, "");
  e.fields = 3;
  e.refuse = refuse_many_points;
  e.model = [](const Problem& p) { return cost_per_step(p, 8, 9, two_stage_flops); };
  return with_steps<KokkosLaplacian1d>(e);
}

}  // namespace parity::diffusion
