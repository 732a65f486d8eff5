// SPDX-License-Identifier: BSD-3-Clause
// Cooperative launches on several GPUs at once. CUDA 13 removed them.
#pragma once
#include "backend/cuda/launch/probe.cuh"

#if CUDART_VERSION < 13000
#define PARITY_HAS_MULTI_DEVICE_LAUNCH
#endif

namespace parity::launch {

constexpr const char* no_multi_device_launch =
    "CUDA 13 has no multi-device launch; build with CUDA 12.9 or older";

#ifdef PARITY_HAS_MULTI_DEVICE_LAUNCH
/// Base of the probes: one stream per device.
class MultiDeviceProbe : public Probe {
 public:
  explicit MultiDeviceProbe(const Problem& p) : p_(p), streams_(std::size_t(p.devices)) {
    const cuda::KeepDevice keep;
    for (int d = 0; d < p.devices; ++d) {
      PARITY_CUDA(cudaSetDevice(d));
      PARITY_CUDA(cudaStreamCreateWithFlags(streams_[std::size_t(d)].put(), cudaStreamNonBlocking));
    }
  }
  void synchronise() override {
    for (const auto& s : streams_) PARITY_CUDA(cudaStreamSynchronize(s));
  }

 protected:
  /// The launches of one kernel on all devices; arguments(d) returns the arguments for device d.
  template <class Arguments>
  std::vector<cudaLaunchParams> launches(const void* function, const Arguments& arguments) const {
    std::vector<cudaLaunchParams> all;
    for (int d = 0; d < p_.devices; ++d)
      all.push_back({const_cast<void*>(function), dim3(unsigned(p_.blocks)), dim3(unsigned(p_.threads)),
                     arguments(d), 0, streams_[std::size_t(d)]});
    return all;
  }

  Problem p_;
  std::vector<cuda::OwnedStream> streams_;
};

inline std::optional<std::string> why_no_multi_device(const void* function, const Problem& p) {
  if (!attribute(cudaDevAttrCooperativeMultiDeviceLaunch)) return "this GPU cannot launch on several devices";
  int count = 0;
  PARITY_CUDA(cudaGetDeviceCount(&count));
  if (p.devices > count)
    return "this machine has " + std::to_string(count) + " usable GPUs; reduce --devices";
  return why_not_resident(function, p);
}
#endif

}  // namespace parity::launch
