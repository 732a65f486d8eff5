// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier-multi-grid: passes the barrier of grids on several GPUs; the first waits and counts.
#include "../algorithm.hpp"
#include "backend/cuda/launch/multi_device.cuh"

#ifdef PARITY_HAS_MULTI_DEVICE_LAUNCH
#include <cooperative_groups.h>
#endif

namespace parity::launch::barrier {

#ifdef PARITY_HAS_MULTI_DEVICE_LAUNCH
namespace {

// CUDA 11.3 to 12 deprecate these groups and their launch.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1215
#pragma nv_diag_suppress 1444
template <Kind kind>
__global__ void pass_multi_grid_barrier(Work work, int count) {
  const auto grids = cooperative_groups::this_multi_grid();
  for (int k = 0; k < count; ++k) {
    if constexpr (kind != Kind::none) {
      if (grids.grid_rank() == 0) perform<kind>(work, thread_of_grid());
    }
    grids.sync();
  }
}

class CudaBarrierMultiGrid : public MultiDeviceProbe {
 public:
  using MultiDeviceProbe::MultiDeviceProbe;
  void start(int count, const Work& work) override {
    Work w = work;
    void* arguments[] = {&w, &count};
    const void* const function = work.kind == Kind::none
                                     ? reinterpret_cast<const void*>(pass_multi_grid_barrier<Kind::none>)
                                     : reinterpret_cast<const void*>(pass_multi_grid_barrier<Kind::wait>);
    std::vector<cudaLaunchParams> all = launches(function, [&](int) { return arguments; });
    PARITY_CUDA(cudaLaunchCooperativeKernelMultiDevice(all.data(), unsigned(all.size()), 0));
  }
};

}  // namespace

Entry cuda_multi_grid() {
  Entry e = algorithm();
  e.many_devices = true;
  e.refuse = [](const Problem& p) -> std::optional<std::string> {
    return why_no_multi_device(reinterpret_cast<const void*>(pass_multi_grid_barrier<Kind::wait>), p);
  };
  return with_probe<CudaBarrierMultiGrid>(e);
}
#else
Entry cuda_multi_grid() { return cannot(Role::barrier, no_multi_device_launch); }
#endif

}  // namespace parity::launch::barrier
