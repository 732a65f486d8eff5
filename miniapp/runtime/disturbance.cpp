// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/disturbance.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace parity::runtime {
namespace {

std::int64_t involuntary_switches() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}
std::int64_t (*source)() = involuntary_switches;

}  // namespace

std::int64_t times_preempted() { return source(); }

std::optional<double> stolen_seconds() {
  if (source != involuntary_switches) return std::nullopt;
  // The first line has the ticks of all processors: user nice system idle iowait irq softirq steal.
  std::ifstream in("/proc/stat");
  std::string name;
  double ticks = 0;
  in >> name;
  for (int column = 0; column < 8; ++column) in >> ticks;
  if (!in || name != "cpu") return std::nullopt;
  return ticks / double(sysconf(_SC_CLK_TCK));
}

ReplacedPreemptions::ReplacedPreemptions(std::int64_t (*times)()) { source = times; }
ReplacedPreemptions::~ReplacedPreemptions() { source = involuntary_switches; }

}  // namespace parity::runtime
