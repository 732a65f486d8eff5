// SPDX-License-Identifier: BSD-3-Clause
// Hints to a GPU and its compiler that Kokkos has no words for. Elsewhere they do nothing.
#pragma once
#include "kokkos_compat.hpp"

namespace parity::compat {

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
