// SPDX-License-Identifier: BSD-3-Clause
// Scratch memory, barriers and prefetches of a team, told to the compiler in terms that Kokkos lacks.
#pragma once
#include <cstddef>

#include "kokkos_compat.hpp"

namespace parity::compat {

/// Team scratch of 'bytes' bytes. Kokkos hands it out as a generic pointer, whose
/// loads cost a GPU more registers and time than those from shared memory, which it is: here the compiler
/// sees so. Where it lies takes instructions to find out, which ptxas prefers to repeat at each
/// use: it cannot repeat a shuffle.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION T* scratch_of(const Member& team, std::size_t bytes) {
  void* const generic = team.team_scratch(0).get_shmem_aligned(bytes, 16);
#if defined(__CUDA_ARCH__) && __CUDACC_VER_MAJOR__ >= 11
  extern __shared__ unsigned char parity_scratch[];
  const unsigned offset =
      unsigned(__cvta_generic_to_shared(generic)) - unsigned(__cvta_generic_to_shared(parity_scratch));
  const unsigned here = __activemask();  // all lanes have the same offset, whichever of them are here
  return reinterpret_cast<T*>(parity_scratch + __shfl_sync(here, offset, __ffs(int(here)) - 1));
#else
  return static_cast<T*>(generic);
#endif
}

/// An address will be read: its line comes to the GPU's last cache, and nobody waits for it.
KOKKOS_INLINE_FUNCTION void prefetch([[maybe_unused]] const void* address) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

/// team.team_barrier(). On a GPU Kokkos asks in it if blockDim.z is 1, which it is for each TeamPolicy. If
/// 'assumes', the compiler knows: there is no branch across which it cannot schedule.
template <bool assumes = true, class Member>
KOKKOS_INLINE_FUNCTION void team_barrier(const Member& team) {
#if defined(__CUDA_ARCH__) && \
    (__CUDACC_VER_MAJOR__ > 11 || (__CUDACC_VER_MAJOR__ == 11 && __CUDACC_VER_MINOR__ >= 2))
  if (assumes) __builtin_assume(blockDim.z == 1u);
#endif
  team.team_barrier();
}

}  // namespace parity::compat
