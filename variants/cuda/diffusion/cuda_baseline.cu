// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-baseline: elementary operations only, as array libraries execute the filter: the flat padded
// field is scaled and added, shifted by one neighbour at a time. Twin of kokkos-baseline.
#include "two_stage.cuh"

namespace parity::cuda {
namespace {

/// Over the flat field without a row at each end, whatever the margin: the halo is overwritten anyway.
template <class T>
struct LaplacianByOperations {
  LaplacianByOperations(const Problem&, const Tuning&) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int) const {
    scale_flat(f, from, to, T(laplacian_centre_weight));
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -f.pitch, f.pitch})
      add_flat(f, from + shift, to);
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_baseline() {
  Entry e = cuda::elementary_entry<cuda::LaplacianByOperations>({}, "");
  e.refuse = cuda::refuse_planes;
  e.model = [](const Problem& p) { return cost_per_step(p, 16, 33, 20); };
  return e;
}

}  // namespace parity::diffusion
