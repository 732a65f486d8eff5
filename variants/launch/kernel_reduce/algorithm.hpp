// SPDX-License-Identifier: BSD-3-Clause
// kernel_reduce: an event is a reduction over blocks x threads indices whose result stays in the kernel's
// memory space; the host does not wait for it. It has no native twin: CUDA has no reduction of its own.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::kernel_reduce {

inline Entry algorithm(bool on_device) {
  Entry e;
  e.role = on_device ? Role::launch : Role::fork_join;
  return e;
}

}  // namespace parity::launch::kernel_reduce
