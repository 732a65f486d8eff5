// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-kernel-cooperative: the launch that grid barriers need.
#include "backend/cuda/launch/call.cuh"

namespace parity::launch {
namespace {

class Cooperative : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    Call call(work, p_.argument_bytes);
    for (int k = 0; k < count; ++k)
      PARITY_CUDA(cudaLaunchCooperativeKernel(call.function(), grid_, block_, call.arguments(), 0, stream_));
  }
};

}  // namespace

Entry kernel_cuda_cooperative() {
  Entry e = cuda_probe<Cooperative>(Role::launch);
  e.most_argument_bytes = most_argument_bytes;
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    if (!attribute(cudaDevAttrCooperativeLaunch)) return "this GPU cannot launch cooperative kernels";
    Work wait;
    wait.kind = Kind::wait;
    return why_not_resident(Call(wait, p.argument_bytes).function(), p);
  };
  return e;
}

}  // namespace parity::launch
