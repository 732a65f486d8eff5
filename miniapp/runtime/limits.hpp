// SPDX-License-Identifier: BSD-3-Clause
// What the batch system, a container or the shell allows this process of the machine.
#pragma once
#include <cstdint>
#include <string>

namespace parity::runtime {

/// Where the kernel says it; tests have folders of their own.
struct KernelFolders {
  std::string groups = "/sys/fs/cgroup", process = "/proc/self";
};

/// Bytes that may still be taken under the limits of the process's control groups (versions 1 and 2, its own
/// and all above it), of SLURM, and of ulimit -v and -d; the largest number if there are none. Memory of a
/// group that the kernel can take back, such as cached files, counts as free.
std::int64_t memory_left_by_limits(const KernelFolders& in = {});

/// A number of a file such as /proc/self/status in bytes, such as "VmHWM"; -1 if it is not there.
std::int64_t kernel_bytes(const std::string& file, const std::string& name);

}  // namespace parity::runtime
