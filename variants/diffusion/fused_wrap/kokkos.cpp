// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-fused-wrap: the 13-point update as one MDRange kernel; neighbours wrap around, so no halo
// exists.
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion {
namespace {

template <class T>
struct FusedWrap {
  Fields<T> f;
  Tuning tile;
  FusedWrap(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tile(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Field<T>& from, const Field<T>& to) const {
    const Problem& p = f.p;
    const int nx = int(p.nx), ny = int(p.ny);
    const T alpha = T(p.alpha);
    const T* const in = from.data();
    T* const out = to.data();
    queue.parallel_for(
        "parity::diffusion::fused_wrap", range3(queue.exec(), p.nz, p.ny, p.nx, tile),
        KOKKOS_LAMBDA(int i, int j, int k) {
          const std::size_t first = std::size_t(k) * ny * nx;
          out[first + std::size_t(j) * nx + i] =
              update_at(alpha, WrappedNeighbours<T>(in + first, j, i, ny, nx));
        });
  }
  template <class Queue>
  void finish(Queue&, const Field<T>&) const {}
};

}  // namespace

Entry fused_wrap_kokkos() {
  Entry e =
      kokkos_entry({"1x2x128", "1x4x64", "1x8x32", "1x1x128", "1x4x128", "1x1x256"},
                   {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile");
  e.refuse = refuse_large_tile;
  e.model = [](const Problem& p) { return cost_per_step(p, 1, 2, direct_flops); };
  return with_steps<FusedWrap>(e);
}

}  // namespace parity::diffusion
