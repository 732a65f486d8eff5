// SPDX-License-Identifier: BSD-3-Clause
// Scratch memory, barriers and prefetches of a team, with compiler hints that Kokkos lacks.
#pragma once
#include <cstddef>

#include "kokkos_compat.hpp"

namespace parity::compat {

/// Team scratch of 'bytes' bytes. Kokkos returns a generic pointer, whose loads cost a GPU more registers and
/// time than loads from shared memory; here the compiler sees that it is shared memory. ptxas would repeat
/// the computation of the offset at each use; it cannot repeat a shuffle.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION T* scratch_of(const Member& team, std::size_t bytes) {
  void* const generic = team.team_scratch(0).get_shmem_aligned(bytes, 16);
#if defined(__CUDA_ARCH__) && __CUDACC_VER_MAJOR__ >= 11
  extern __shared__ unsigned char parity_scratch[];
  const unsigned offset =
      unsigned(__cvta_generic_to_shared(generic)) - unsigned(__cvta_generic_to_shared(parity_scratch));
  const unsigned here = __activemask();  // any active lane will do: all have the same offset
  return reinterpret_cast<T*>(parity_scratch + __shfl_sync(here, offset, __ffs(int(here)) - 1));
#else
  return static_cast<T*>(generic);
#endif
}

/// Prefetches the address's cache line into the GPU's L2 without waiting.
KOKKOS_INLINE_FUNCTION void prefetch([[maybe_unused]] const void* address) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

/// team.team_barrier(). On a GPU Kokkos tests in it if blockDim.z is 1, which holds for every TeamPolicy.
/// 'assumes' tells the compiler so, which removes a branch that it cannot schedule across.
template <bool assumes = true, class Member>
KOKKOS_INLINE_FUNCTION void team_barrier(const Member& team) {
#if defined(__CUDA_ARCH__) && \
    (__CUDACC_VER_MAJOR__ > 11 || (__CUDACC_VER_MAJOR__ == 11 && __CUDACC_VER_MINOR__ >= 2))
  if (assumes) __builtin_assume(blockDim.z == 1u);
#endif
  team.team_barrier();
}

}  // namespace parity::compat
