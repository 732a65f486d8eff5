// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier: one kernel passes __syncthreads many times. Its -warp form passes __syncwarp; in its
// -neighbours form, each block waits only for its two neighbours, as a stencil requires.
#include "algorithm.hpp"
#include "backend/cuda/launch/resident.cuh"

namespace parity::launch::barrier {
namespace {

struct BlockBarrier {
  static __device__ void pass() { __syncthreads(); }
};

struct WarpBarrier {
  static __device__ void pass() { __syncwarp(); }
};

template <class Barrier, Kind kind>
__global__ void pass_barrier(Work work, int count) {
  for (int k = 0; k < count; ++k) {
    if constexpr (kind != Kind::none) {
      perform<kind>(work, thread_of_grid());
      __syncwarp();  // one thread may have waited alone
    }
    Barrier::pass();
  }
}

template <class Barrier>
class CudaBarrier : public CudaProbe {
 public:
  using CudaProbe::CudaProbe;
  void start(int count, const Work& work) override {
    if (work.kind == Kind::none)
      pass_barrier<Barrier, Kind::none><<<grid_, block_, 0, stream_>>>(work, count);
    else
      pass_barrier<Barrier, Kind::wait><<<grid_, block_, 0, stream_>>>(work, count);
    PARITY_CUDA(cudaGetLastError());
  }
};

// Release and acquire: the reader of a flag sees all that its writer wrote before it.

/// Words between flags, so that no two share a cache line.
constexpr int flag_stride = 32;

/// Single instructions since Volta; older devices use fences around volatile accesses.
__device__ __forceinline__ void store_release(unsigned* to, unsigned value) {
#if __CUDA_ARCH__ >= 700
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
#else
  __threadfence();
  *static_cast<volatile unsigned*>(to) = value;
#endif
}
__device__ __forceinline__ unsigned load_acquire(const unsigned* from) {
#if __CUDA_ARCH__ >= 700
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
#else
  const unsigned value = *static_cast<const volatile unsigned*>(from);
  __threadfence();
  return value;
#endif
}

/// flags: one per block, flag_stride words apart, initially zero.
template <Kind kind>
__global__ void pass_neighbours(Work work, int count, unsigned* flags) {
  for (int k = 0; k < count; ++k) {
    if constexpr (kind != Kind::none) {
      perform<kind>(work, thread_of_grid());
      __syncwarp();
    }
    const unsigned passes = unsigned(k) + 1;
    __syncthreads();
    if (threadIdx.x == 0) store_release(flags + blockIdx.x * flag_stride, passes);
    // Two lanes wait for one neighbour each, if the block has two, so that both waits overlap.
    for (unsigned side = threadIdx.x; side < 2; side += blockDim.x) {
      const unsigned blocks = gridDim.x, beside = (blockIdx.x + (side == 0 ? blocks - 1 : 1)) % blocks;
      while (load_acquire(flags + beside * flag_stride) < passes) {
      }
    }
    __syncthreads();
  }
}

class CudaBarrierNeighbours : public ResidentProbe {
 public:
  explicit CudaBarrierNeighbours(const Problem& p) : ResidentProbe(p, p.blocks * flag_stride) {}
  void start(int count, const Work& work) override {
    launch(work.kind == Kind::none ? pass_neighbours<Kind::none> : pass_neighbours<Kind::wait>, count, work);
  }
};

}  // namespace

Entry cuda() { return with_probe<CudaBarrier<BlockBarrier>>(algorithm()); }
Entry cuda_warp() { return with_probe<CudaBarrier<WarpBarrier>>(algorithm()); }

Entry cuda_neighbours() {
  Entry e = algorithm();
  e.refuse = [](const Problem& p) { return why_not_resident(pass_neighbours<Kind::wait>, p); };
  return with_probe<CudaBarrierNeighbours>(e);
}

}  // namespace parity::launch::barrier
