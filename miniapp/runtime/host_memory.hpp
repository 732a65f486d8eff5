// SPDX-License-Identifier: BSD-3-Clause
// How much memory a run may use.
#pragma once
#include <cstdint>
#include <string>

namespace parity::runtime {

/// Bytes, by where they are.
struct MemoryNeed {
  double host = 0, device = 0;
};

/// Bytes of host memory that can be taken without swapping, cgroup limits included.
std::int64_t available_host_memory();

/// The most host memory that this process has had, in bytes.
double peak_host_memory();

/// "3.2 GiB".
std::string bytes_text(double bytes);

}  // namespace parity::runtime
