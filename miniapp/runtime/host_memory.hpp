// SPDX-License-Identifier: BSD-3-Clause
// How much memory a run may use, and how fast it is copied.
#pragma once
#include <cstdint>
#include <string>

namespace parity::runtime {

/// Bytes, by where they are.
struct MemoryNeed {
  double host = 0, device = 0;
};

/// Bytes of host memory that can be taken without swapping, under all limits (runtime/limits.hpp).
std::int64_t available_host_memory();

/// The most host memory that this process has had, in bytes.
double peak_host_memory();

/// "3.2 GiB".
std::string bytes_text(double bytes);

/// What this process may take of memory that is free: ranks of a node share its memory, ranks on a device the
/// device's.
MemoryNeed free_memory_here();

/// Bytes a second (read plus written) of a plain copy of 'bytes' bytes by all threads of the host, or on the
/// device; measured once for each size. Fields that fit a cache copy at its speed.
double copy_bandwidth(bool on_device, std::int64_t bytes);

}  // namespace parity::runtime
