// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier-grid: one kernel passes cooperative groups' grid.sync() many times. In its -atomic
// form, every block increments and polls a counter.
#include <cooperative_groups.h>

#include "algorithm.hpp"
#include "backend/cuda/launch/resident.cuh"

namespace parity::launch::barrier_grid {
namespace {

struct GridSync {
  static __device__ void pass(unsigned, unsigned*) { cooperative_groups::this_grid().sync(); }
};

struct GridAtomic {
  static __device__ void pass(unsigned k, unsigned* counter) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(counter, 1u);
      const unsigned all = (k + 1) * gridDim.x;
      // The difference stays correct when the counter overflows.
      while (int(*static_cast<volatile unsigned*>(counter) - all) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

/// counter: initially 0.
template <class Barrier, Kind kind>
__global__ void pass_grid_barrier(Work work, int count, unsigned* counter) {
  for (int k = 0; k < count; ++k) {
    if constexpr (kind != Kind::none) {
      perform<kind>(work, thread_of_grid());
      __syncwarp();  // one thread may have waited alone
    }
    Barrier::pass(unsigned(k), counter);
  }
}

template <class Barrier>
class CudaBarrierGrid : public ResidentProbe {
 public:
  explicit CudaBarrierGrid(const Problem& p) : ResidentProbe(p, 1) {}
  void start(int count, const Work& work) override {
    launch(work.kind == Kind::none ? pass_grid_barrier<Barrier, Kind::none>
                                   : pass_grid_barrier<Barrier, Kind::wait>,
           count, work);
  }
};

template <class Barrier>
Entry barrier_grid_entry() {
  Entry e = algorithm();
  e.refuse = [](const Problem& p) { return why_not_resident(pass_grid_barrier<Barrier, Kind::wait>, p); };
  return with_probe<CudaBarrierGrid<Barrier>>(e);
}

}  // namespace

Entry cuda() { return barrier_grid_entry<GridSync>(); }
Entry cuda_atomic() { return barrier_grid_entry<GridAtomic>(); }

}  // namespace parity::launch::barrier_grid
