// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-laplacian-1d: a written Laplacian kernel over a flat range of points; halo and field
// update stay elementary operations.
#include "backend/kokkos/diffusion/in_place.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct Laplacian1d {
  Laplacian1d(const Problem&, const Tuning&) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int m) const {
    const int pitch = int(p.pitch()), rows = int(p.rows()), width = pitch - 2 * m, height = rows - 2 * m;
    const T* const f = from.data();
    T* const t = to.data();
    queue.parallel_for(
        "parity::diffusion::laplacian_1d", Range1<int>(queue.exec(), 0, int(p.nz) * height * width),
        KOKKOS_LAMBDA(int n) {
          const int row = n / width, k = row / height;
          const std::size_t c =
              (std::size_t(k) * rows + (row - k * height) + m) * pitch + (n - row * width) + m;
          t[c] = laplacian(f[c], f[c - 1], f[c + 1], f[c - pitch], f[c + pitch]);
        });
  }
};

}  // namespace

Entry laplacian_1d_kokkos() {
  Entry e =
      kokkos_entry({}, {}, "");
  e.refuse = refuse_many_points;
  e.model = [](const Problem& p) { return cost_in_place(p, 8, 9, 2, two_stage_flops); };
  return with_elementary_steps<Laplacian1d>(e);
}

}  // namespace parity::diffusion
