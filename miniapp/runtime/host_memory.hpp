// SPDX-License-Identifier: BSD-3-Clause
// Memory that a run may use, and copy bandwidth.
#pragma once
#include <cstdint>
#include <string>

namespace parity::runtime {

/// Bytes on the host and on the device.
struct MemoryNeed {
  double host = 0, device = 0;
};

/// Folders in which Linux shows limits of the batch system, a container or the shell; tests use other ones.
struct KernelFolders {
  std::string groups = "/sys/fs/cgroup", process = "/proc/self";
};

/// Bytes that the process may still allocate under the limits of its control groups (versions 1 and 2, its
/// own and all above it), of SLURM, and of ulimit -v and -d; the largest number if there are none. Memory of
/// a group that the kernel can reclaim, such as cached files, counts as free.
std::int64_t memory_left_by_limits(const KernelFolders& in = {});

/// An entry, such as "VmHWM", of a file such as /proc/self/status, in bytes; -1 if it is missing.
std::int64_t kernel_bytes(const std::string& file, const std::string& name);

/// Bytes of host memory that can be allocated without swapping, under all limits.
std::int64_t available_host_memory();

/// Peak host memory of this process, in bytes.
double peak_host_memory();

/// "3.2 GiB".
std::string bytes_text(double bytes);

/// This rank's share of the free memory: ranks of a node share its memory, ranks on a device the device's.
MemoryNeed free_memory_here();

/// Bytes per second (read plus written) of a plain copy of 'bytes' bytes by all threads of the host, or on
/// the device; measured once for each size. Fields that fit a cache copy at its speed.
double copy_bandwidth(bool on_device, std::int64_t bytes);

}  // namespace parity::runtime
