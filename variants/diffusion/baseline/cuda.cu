// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-baseline: elementary operations only, as array libraries execute the filter: the flat padded
// field is scaled and added, shifted by one neighbour at a time. Twin of kokkos-baseline.
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

/// Over the flat field without a row at each end, whatever the margin: the halo is overwritten anyway.
template <class T>
struct LaplacianByOperations {
  Tuning elements;
  LaplacianByOperations(const Problem&, const Tuning& t) : elements(t) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int) const {
    LineForms::with(elements, [&](auto form) {
      constexpr int each = decltype(form)::count;
      scale_flat<each>(f, from, to, T(laplacian_centre_weight));
      for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -f.pitch, f.pitch})
        add_flat<each, T>(f, from + shift, to);
    });
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry baseline_cuda() {
  Entry e =
      cuda::elementary_entry<cuda::LaplacianByOperations>(cuda::LineForms::names(), "elements a thread");
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto why = refuse_large_planes(p)) return why;
    return cuda::LineForms::refuse(t);
  };
  e.model = [](const Problem& p) { return cost_per_step(p, 16, 33, 20); };
  return e;
}

}  // namespace parity::diffusion
