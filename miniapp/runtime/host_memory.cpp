// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/host_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/limits.hpp"
#include "runtime/messages.hpp"

namespace parity::runtime {
namespace {

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

std::int64_t available_host_memory() {
  const std::int64_t available = kernel_bytes("/proc/meminfo", "MemAvailable"),
                     left = memory_left_by_limits();
  return available < 0 ? left : std::min(available, left);
}

double peak_host_memory() {
  // The maximum of getrusage is the parent's, too, if that was larger.
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
  return {double(available_host_memory()) / place().ranks_on_node,
          double(free_device_memory()) / place().ranks_on_device};
}

double copy_bandwidth(bool on_device, std::int64_t bytes) {
  static std::map<std::pair<bool, std::int64_t>, double> known;
  double& rate = known[{on_device, bytes}];
  if (rate == 0) rate = on_device ? device_copy_bandwidth(bytes) : host_copy_bandwidth(bytes);
  return rate;
}

}  // namespace parity::runtime
