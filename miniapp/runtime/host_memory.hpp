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

/// Where the kernel says what the batch system, a container or the shell allows; tests have folders of their
/// own.
struct KernelFolders {
  std::string groups = "/sys/fs/cgroup", process = "/proc/self";
};

/// Bytes that may still be taken under the limits of the process's control groups (versions 1 and 2, its own
/// and all above it), of SLURM, and of ulimit -v and -d; the largest number if there are none. Memory of a
/// group that the kernel can take back, such as cached files, counts as free.
std::int64_t memory_left_by_limits(const KernelFolders& in = {});

/// A number of a file such as /proc/self/status in bytes, such as "VmHWM"; -1 if it is not there.
std::int64_t kernel_bytes(const std::string& file, const std::string& name);

/// Bytes of host memory that can be taken without swapping, under all limits.
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
