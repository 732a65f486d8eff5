// SPDX-License-Identifier: BSD-3-Clause
// kernel_reduce: an event is a reduction over blocks x threads indices whose result stays where the kernel
// runs, so that nobody waits for it. It has no native twin: CUDA has no reduction of its own.
#pragma once
#include "../kernel/algorithm.hpp"

namespace parity::launch {

inline Entry kernel_reduce_algorithm(bool on_device) {
  Entry e = kernel_algorithm(on_device);
  e.kernels = false;  // it writes its sum and nothing else
  return e;
}

}  // namespace parity::launch
