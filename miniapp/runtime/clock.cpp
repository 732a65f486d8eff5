// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/clock.hpp"

#include <sys/resource.h>

#include <chrono>

namespace parity::runtime {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double (*clock_in_use)() = steady_seconds;

}  // namespace

double host_seconds() { return clock_in_use(); }

ReplacedHostClock::ReplacedHostClock(double (*seconds)()) { clock_in_use = seconds; }
ReplacedHostClock::~ReplacedHostClock() { clock_in_use = steady_seconds; }

double preemptions() {
  rusage used{};
  if (clock_in_use != steady_seconds || getrusage(RUSAGE_SELF, &used) != 0) return 0;
  return double(used.ru_nivcsw);
}

}  // namespace parity::runtime
