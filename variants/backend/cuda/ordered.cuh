// SPDX-License-Identifier: BSD-3-Clause
// One word that a block hands to another: what was written before the store is seen after the load.
#pragma once
#include <cuda_runtime.h>

namespace parity::cuda {

/// Words from one flag to the next, so that no two share a line of the cache.
constexpr int flag_stride = 32;

/// Instructions of their own since Volta; before it fences around volatile accesses.
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

}  // namespace parity::cuda
