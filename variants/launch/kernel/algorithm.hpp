// SPDX-License-Identifier: BSD-3-Clause
// kernel: an event is one kernel over blocks x threads indices. On a GPU the call launches it and may return
// before it ends; on a host it is a parallel region that has ended when the call returns (fork and join).
// Source: the launch functions of Zhang, Wahib and Matsuoka (variants/ORIGINAL_WORKS.md). Cost: one launch.
// An event without work has an empty body; an event with work does that of launch/work.hpp.
#pragma once
#include "launch/variant.hpp"

namespace parity::launch::kernel {

inline Entry algorithm(bool on_device) {
  Entry e;
  e.role = on_device ? Role::launch : Role::fork_join;
  e.kernels = true;
  return e;
}

}  // namespace parity::launch::kernel
