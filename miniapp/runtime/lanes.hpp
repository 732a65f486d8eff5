// SPDX-License-Identifier: BSD-3-Clause
// Exchange of register values between the lanes of a warp.
#pragma once
#include <cstdlib>

#include "host_device.hpp"

namespace parity::runtime {

/// The value of lane 'source' in the caller's group of 'width' neighbouring lanes; width: a power of two, at
/// most 32, so that a warp of 64 lanes counts as two of 32. All 32 lanes call it together. On a host it
/// returns the caller's value.
template <class T>
PARITY_INLINE T from_lane(T value, [[maybe_unused]] int source, [[maybe_unused]] int width) {
#if defined(__CUDA_ARCH__)
  return __shfl_sync(0xffffffffu, value, source, width);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl(value, source & (width - 1), width);  // adds the caller's half of a warp of 64
#else
  return value;
#endif
}

/// True if 'said' is true on any lane of the warp (of all 64 if it has 64). All lanes call it together. On a
/// host it returns 'said'.
PARITY_INLINE bool any_lane(bool said) {
#if defined(__CUDA_ARCH__)
  return __any_sync(0xffffffffu, said);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __any(said);
#else
  return said;
#endif
}

/// from_lane() as an object, which tests replace with simulated lanes.
struct WarpLanes {
  int lane = 0;  ///< the caller's lane in its warp
  template <class T>
  PARITY_INLINE T from(T value, int source, int width = 32) const {
    return from_lane(value, source, width);
  }
};

/// The value of the next lower or higher lane of the warp; the lane at the end gets its own. All 32 lanes
/// must call it. On a host it aborts.
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

/// Barrier for the lanes of a warp. The compiler moves no memory access across it.
PARITY_INLINE void lanes_meet() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#elif defined(__HIP_DEVICE_COMPILE__)
  __builtin_amdgcn_wave_barrier();
#endif
}

}  // namespace parity::runtime
