// SPDX-License-Identifier: BSD-3-Clause
// What neighbouring threads of a GPU hand each other without memory.
#pragma once
#include <cstdlib>

#include "host_device.hpp"

namespace parity::runtime {

/// What lane 'source' has, of the 'width' neighbouring threads of a warp that the caller belongs to; width: a
/// power of two, at most 32, so that warps of 64 lanes are two of 32. All 32 call it together. A host's lane
/// is alone.
template <class T>
PARITY_INLINE T from_lane(T value, [[maybe_unused]] int source, [[maybe_unused]] int width) {
#if defined(__CUDA_ARCH__)
  return __shfl_sync(0xffffffffu, value, source, width);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl(value, source & (width - 1), width);  // which adds the caller's half of a warp of 64
#else
  return value;
#endif
}

/// True if any lane of the warp, of 64 lanes where a warp has so many, says so. All of 32 call it together. A
/// host's lane is alone.
PARITY_INLINE bool any_lane(bool said) {
#if defined(__CUDA_ARCH__)
  return __any_sync(0xffffffffu, said);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __any(said);
#else
  return said;
#endif
}

/// from_lane() as an object, in whose place tests put lanes of their own.
struct WarpLanes {
  int lane = 0;  ///< the caller's, of a warp
  template <class T>
  PARITY_INLINE T from(T value, int source, int width = 32) const {
    return from_lane(value, source, width);
  }
};

/// A value of the lane one below or one above in the warp; at the warp's end the lane's own. All 32 lanes
/// must call it. A host has no warps: there it ends the program.
template <class T>
PARITY_INLINE T from_lane_below([[maybe_unused]] T value) {
#if defined(__CUDA_ARCH__)
  return __shfl_up_sync(0xffffffffu, value, 1);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl_up(value, 1, 32);
#else
  std::abort();
#endif
}
template <class T>
PARITY_INLINE T from_lane_above([[maybe_unused]] T value) {
#if defined(__CUDA_ARCH__)
  return __shfl_down_sync(0xffffffffu, value, 1);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl_down(value, 1, 32);
#else
  std::abort();
#endif
}

/// The lanes of a warp meet. A GPU has nothing to do for it, but the compiler moves no access to memory
/// across.
PARITY_INLINE void lanes_meet() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#elif defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_wave_barrier();
#endif
}

}  // namespace parity::runtime
