// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/host_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/messages.hpp"

namespace parity::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// The first number of a file; -1 if there is none, as for "max" or a missing file.
std::int64_t first_number_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t value = -1;
  return in >> value ? value : -1;
}

/// The number after a name at the start of a line; -1 if there is none.
std::int64_t number_after(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string word; in >> word; in.ignore(no_limit, '\n')) {
    std::int64_t value = -1;
    if (word == name) return in >> value ? value : -1;
  }
  return -1;
}

/// Calls see(folder) for the process's memory control group and all groups above it.
template <class See>
void for_groups(const KernelFolders& kernel, const See& see) {
  const std::string controller = "memory";
  std::ifstream in(kernel.process + "/cgroup");
  for (std::string line; std::getline(in, line);) {  // NUMBER:CONTROLLERS:PATH
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && ("," + controllers + ",").find("," + controller + ",") == std::string::npos) continue;
    for (const std::string& mount :
         {std::string(unified ? "" : controllers), unified ? "unified" : controller}) {
      const fs::path top = fs::path(kernel.groups) / mount;
      fs::path path = fs::path(line.substr(second + 1)).lexically_normal().relative_path();
      // In a container the own group may be the topmost folder, although the path begins above it.
      std::error_code no_matter;
      while (!path.empty() && !fs::exists(top / path, no_matter)) {
        fs::path below;
        for (auto part = std::next(path.begin()); part != path.end(); ++part) below /= *part;
        path = std::move(below);
      }
      for (;; path = path.parent_path()) {
        see(top / path);
        if (path.empty()) break;
      }
    }
  }
}

std::int64_t left_in_group(const fs::path& group) {
  std::int64_t limit = no_limit, used = first_number_in(group / "memory.current");
  for (const char* name : {"memory.max", "memory.high", "memory.limit_in_bytes"})
    if (const std::int64_t value = first_number_in(group / name); value >= 0) limit = std::min(limit, value);
  const bool unified = used >= 0;
  if (!unified) used = first_number_in(group / "memory.usage_in_bytes");
  if (limit == no_limit || used < 0) return no_limit;
  for (const char* name : {"inactive_file", "active_file", "slab_reclaimable"})
    used -= std::max<std::int64_t>(
        0, number_after(group / "memory.stat", unified ? name : std::string("total_") + name));
  return std::max<std::int64_t>(0, limit - std::max<std::int64_t>(0, used));
}

/// The number in an environment variable; 0 if it is not set.
std::int64_t slurm_number(const char* name) {
  const char* const text = std::getenv(name);
  return text ? std::max<std::int64_t>(0, std::strtoll(text, nullptr, 10)) : 0;
}

/// SLURM may limit a job's memory without a control group. Its limits are in MiB and 0 means all; an salloc
/// shell on the login node has these variables, too, but not SLURMD_NODENAME.
std::int64_t slurm_limit() {
  if (!std::getenv("SLURMD_NODENAME")) return 0;
  if (const std::int64_t node = slurm_number("SLURM_MEM_PER_NODE"); node > 0) return node << 20;
  if (const std::int64_t cpu = slurm_number("SLURM_MEM_PER_CPU"); cpu > 0)
    return (cpu * slurm_number("SLURM_CPUS_ON_NODE")) << 20;
  return (slurm_number("SLURM_MEM_PER_GPU") * slurm_number("SLURM_GPUS_ON_NODE")) << 20;
}

double host_copy_bandwidth(std::int64_t bytes) {
  const std::int64_t n = std::max<std::int64_t>(bytes / 8, 1);
  const std::unique_ptr<double[]> from(new double[std::size_t(n)]), to(new double[std::size_t(n)]);
  double* const a = from.get();
  double* const b = to.get();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] = double(i & 1023);
  const int copies = int(std::clamp<std::int64_t>((std::int64_t(1) << 27) / bytes, 1, 4096));
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 9; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel
    for (int c = 0; c < copies; ++c) {
#pragma omp for simd schedule(static)
      for (std::int64_t i = 0; i < n; ++i) b[i] = a[i];
    }
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                      copies);
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return 2.0 * double(n) * 8.0 / seconds[4];
}

}  // namespace

std::int64_t kernel_bytes(const std::string& file, const std::string& name) {
  const std::int64_t kib = number_after(file, name + ":");
  return kib < 0 ? -1 : kib * 1024;
}

std::int64_t memory_left_by_limits(const KernelFolders& in) {
  std::int64_t left = no_limit;
  for_groups(in, [&left](const fs::path& group) { left = std::min(left, left_in_group(group)); });
  const auto bound = [&](std::int64_t limit, const char* used, int processes) {
    left = std::min(left, std::max<std::int64_t>(
                              0, limit - processes * std::max<std::int64_t>(
                                                         0, kernel_bytes(in.process + "/status", used))));
  };
  if (const std::int64_t limit = slurm_limit(); limit > 0) bound(limit, "VmRSS", rank_info().ranks_on_node);
  for (const auto& [resource, used] : {std::pair(RLIMIT_AS, "VmSize"), std::pair(RLIMIT_DATA, "VmData")})
    if (rlimit limit{}; getrlimit(resource, &limit) == 0 && limit.rlim_cur < rlim_t(no_limit))
      bound(std::int64_t(limit.rlim_cur), used, 1);
  return left;
}

std::int64_t available_host_memory() {
  const std::int64_t available = kernel_bytes("/proc/meminfo", "MemAvailable"),
                     left = memory_left_by_limits();
  return available < 0 ? left : std::min(available, left);
}

double peak_host_memory() {
  // getrusage would return the parent's maximum if that was larger.
  if (const std::int64_t peak = kernel_bytes("/proc/self/status", "VmHWM"); peak > 0) return double(peak);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1024.0 * double(used.ru_maxrss);
}

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int u = 0;
  for (; bytes >= 1024 && u < 5; ++u) bytes /= 1024;
  return u == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[u]);
}

MemoryNeed free_memory_here() {
  return {double(available_host_memory()) / rank_info().ranks_on_node,
          double(free_device_memory()) / rank_info().ranks_on_device};
}

double copy_bandwidth(bool on_device, std::int64_t bytes) {
  static std::map<std::pair<bool, std::int64_t>, double> known;
  double& rate = known[{on_device, bytes}];
  if (rate == 0) rate = on_device ? device_copy_bandwidth(bytes) : host_copy_bandwidth(bytes);
  return rate;
}

}  // namespace parity::runtime
