// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-kernel: kernels launched as everybody does.
#include "backend/cuda/launch/call.cuh"

namespace parity::launch {
namespace {

class Traditional : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    if (work.kind == Kind::none)
      with_argument<most_argument_bytes>(p_.argument_bytes, [&](auto bytes) { nothing<bytes()>(count); });
    else if (work.kind == Kind::wait)
      with_argument<most_argument_bytes>(p_.argument_bytes, [&](auto bytes) { wait<bytes()>(count, work); });
    else
      with_kind(work.kind, [&](auto kind) {
        for (int k = 0; k < count; ++k) work_kernel<kind()><<<grid_, block_, 0, stream_>>>(work);
      });
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  template <int bytes>
  void nothing(int count) {
    for (int k = 0; k < count; ++k) {
      if constexpr (bytes == 0)
        empty_kernel<><<<grid_, block_, 0, stream_>>>();
      else
        argument_kernel<bytes><<<grid_, block_, 0, stream_>>>(Argument<bytes>{});
    }
  }
  template <int bytes>
  void wait(int count, const Work& work) {
    for (int k = 0; k < count; ++k) {
      if constexpr (bytes == 0)
        work_kernel<Kind::wait><<<grid_, block_, 0, stream_>>>(work);
      else
        wait_kernel<bytes><<<grid_, block_, 0, stream_>>>(work, Remainder<bytes>{});
    }
  }
};

}  // namespace

Entry kernel_cuda() {
  Entry e = cuda_probe<Traditional>(Role::launch);
  e.kernels = true;
  e.most_argument_bytes = most_argument_bytes;
  return e;
}

}  // namespace parity::launch
