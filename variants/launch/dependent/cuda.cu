// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-dependent: cudaLaunchKernelEx lets each kernel start before the previous one has ended.
#include "algorithm.hpp"
#include "backend/cuda/launch/dependent.cuh"

namespace parity::launch::dependent {

#if CUDART_VERSION >= 11080
namespace {

class CudaDependent : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid_;
    config.blockDim = block_;
    config.stream = stream_;
    config.attrs = &overlap;
    config.numAttrs = 1;
    for (int k = 0; k < count; ++k) {
      if (work.kind == Kind::none)
        PARITY_CUDA(cudaLaunchKernelEx(&config, dependent_nothing<>));
      else
        with_kind(work.kind,
                  [&](auto kind) { PARITY_CUDA(cudaLaunchKernelEx(&config, dependent_work<kind()>, work)); });
    }
  }
};

}  // namespace

Entry cuda() {
  Entry e = algorithm();
  e.refuse = why_not_dependent;
  return with_probe<CudaDependent>(e);
}
#else
Entry cuda() { return cannot(Role::launch, "dependent launch needs CUDA 11.8 or newer"); }
#endif

}  // namespace parity::launch::dependent
