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
std::int64_t (*counter_in_use)() = involuntary_switches;

}  // namespace

std::int64_t times_preempted() { return counter_in_use(); }

std::optional<double> stolen_seconds() {
  if (counter_in_use != involuntary_switches) return std::nullopt;
  // The first line has the ticks of all processors: user nice system idle iowait irq softirq steal.
  std::ifstream in("/proc/stat");
  std::string name;
  double ticks = 0;
  in >> name;
  for (int column = 0; column < 8; ++column) in >> ticks;
  if (!in || name != "cpu") return std::nullopt;
  return ticks / double(sysconf(_SC_CLK_TCK));
}

ReplacedPreemptions::ReplacedPreemptions(std::int64_t (*times)()) { counter_in_use = times; }
ReplacedPreemptions::~ReplacedPreemptions() { counter_in_use = involuntary_switches; }

}  // namespace parity::runtime
