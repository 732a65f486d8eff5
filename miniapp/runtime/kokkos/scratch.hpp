// SPDX-License-Identifier: BSD-3-Clause
// A team's scratch memory, as memory that the compiler knows.
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

}  // namespace parity::compat
