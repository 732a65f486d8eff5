// SPDX-License-Identifier: BSD-3-Clause
// What a process may take of memory that is free: ranks of a node share its memory, ranks on a device the
// device's.
#pragma once
#include "runtime/device.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/messages.hpp"

namespace parity::runtime {

/// Bytes; all that is free where there is one rank.
inline MemoryNeed free_memory_here() {
  return {double(available_host_memory()) / place().ranks_on_node,
          double(free_device_memory()) / place().ranks_on_device};
}

}  // namespace parity::runtime
