// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-fused-deep: halos of several steps, exchanged once in so many steps, overlapped with the
// interior. Twin of kokkos-fused-deep.
#include "backend/cuda/diffusion/exchange.cuh"

namespace parity::diffusion {

Entry fused_deep_cuda() {
  Entry e = cuda::exchange_entry();
  e.tunings = deep_tunings();
  e.tuning_axes = deep_axes;
  e.refuse = [](const Problem& p, const Tuning& t) {
    if (const auto why = cuda::refuse_planes(p, t)) return why;
    return refuse_small_parts(p, depth_of(p, {t[0], true}));
  };
  return with_exchange<cuda::PartOnDevice, /*overlap=*/true, /*deep=*/true>(e);
}

}  // namespace parity::diffusion
