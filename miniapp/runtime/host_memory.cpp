// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/host_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace parity::runtime {
namespace {

std::int64_t number_in(const char* file) {
  std::ifstream in(file);
  std::int64_t value = -1;
  return in >> value ? value : -1;  // "max" is no number: no limit
}

}  // namespace

std::int64_t available_host_memory() {
  std::int64_t available = std::numeric_limits<std::int64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key, unit; meminfo >> key;) {
    std::int64_t kib = 0;
    if (!(meminfo >> kib)) break;
    std::getline(meminfo, unit);
    if (key == "MemAvailable:") available = kib * 1024;
  }
  const std::int64_t limit = number_in("/sys/fs/cgroup/memory.max"),
                     used = number_in("/sys/fs/cgroup/memory.current");
  if (limit > 0 && used >= 0) available = std::min(available, std::max<std::int64_t>(0, limit - used));
  return available;
}

double peak_host_memory() {
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

}  // namespace parity::runtime
