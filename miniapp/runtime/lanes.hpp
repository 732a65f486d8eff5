// SPDX-License-Identifier: BSD-3-Clause
// What neighbouring threads of a GPU hand each other without memory.
#pragma once
#include "host_device.hpp"

namespace parity::runtime {

/// What lane 'source' has, of the 'width' neighbouring threads of a warp that the caller belongs to; width: a
/// power of two, at most 32. All lanes of a warp call it together. A host's lane is alone.
template <class T>
PARITY_INLINE T from_lane(T value, [[maybe_unused]] int source, [[maybe_unused]] int width) {
#if defined(__CUDA_ARCH__)
  return __shfl_sync(0xffffffffu, value, source, width);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl(value, source, width);
#else
  return value;
#endif
}

}  // namespace parity::runtime
