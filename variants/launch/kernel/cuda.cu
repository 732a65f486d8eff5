// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-kernel: kernel<<<blocks, threads>>>. Its -cooperative form is the launch that grid barriers
// need, -multi-device the same on several GPUs at once.
#include "algorithm.hpp"
#include "backend/cuda/launch/multi_device.cuh"

namespace parity::launch::kernel {
namespace {

class CudaKernel : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    with_kernel(work, p_.argument_bytes, [&](auto* kernel, const auto&... arguments) {
      for (int k = 0; k < count; ++k) {
        kernel<<<grid_, block_, 0, stream_>>>(arguments...);
      }
    });
    PARITY_CUDA(cudaGetLastError());
  }
};

class CudaKernelCooperative : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    Call call(work, p_.argument_bytes);
    for (int k = 0; k < count; ++k)
      PARITY_CUDA(cudaLaunchCooperativeKernel(call.function(), grid_, block_, call.arguments(), 0, stream_));
  }
};

#ifdef PARITY_HAS_MULTI_DEVICE_LAUNCH
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 1444
#endif
/// Launches on several GPUs; the first one waits and counts.
class CudaKernelMultiDevice : public MultiDeviceProbe {
 public:
  using MultiDeviceProbe::MultiDeviceProbe;
  void start(int count, const Work& work) override {
    Work idle = work;
    idle.units = 0;
    idle.extra_ticks = 0;
    idle.count = nullptr;
    Call first(work, p_.argument_bytes), others(idle, p_.argument_bytes);
    for (int k = 0; k < count; ++k) {
      std::vector<cudaLaunchParams> all =
          launches(first.function(), [&](int d) { return d == 0 ? first.arguments() : others.arguments(); });
      PARITY_CUDA(cudaLaunchCooperativeKernelMultiDevice(all.data(), unsigned(all.size()), 0));
    }
  }
  void* stream() const override { return streams_.front(); }
};
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_default 1444
#endif
#pragma GCC diagnostic pop
#endif

/// Kernel of an event with work, to query its occupancy.
const void* waiting_kernel(const Problem& p) {
  Work wait;
  wait.kind = Kind::wait;
  return Call(wait, p.argument_bytes).function();
}

}  // namespace

Entry cuda() {
  Entry e = algorithm(/*on_device=*/true);
  e.most_argument_bytes = most_argument_bytes;
  return with_probe<CudaKernel>(e);
}

Entry cuda_cooperative() {
  Entry e;
  e.most_argument_bytes = most_argument_bytes;
  e.refuse = [](const Problem& p) { return why_not_cooperative(waiting_kernel(p), p); };
  return with_probe<CudaKernelCooperative>(e);
}

Entry cuda_multi_device() {
#ifdef PARITY_HAS_MULTI_DEVICE_LAUNCH
  Entry e;
  e.most_argument_bytes = most_argument_bytes;
  e.many_devices = true;
  e.refuse = [](const Problem& p) { return why_no_multi_device(waiting_kernel(p), p); };
  return with_probe<CudaKernelMultiDevice>(e);
#else
  return cannot(Role::launch, no_multi_device_launch);
#endif
}

}  // namespace parity::launch::kernel
