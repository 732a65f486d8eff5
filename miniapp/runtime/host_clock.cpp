// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/host_clock.hpp"

#include <chrono>

namespace parity::runtime {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double (*source)() = steady_seconds;

}  // namespace

double host_seconds() { return source(); }

ReplacedHostClock::ReplacedHostClock(double (*seconds)()) { source = seconds; }
ReplacedHostClock::~ReplacedHostClock() { source = steady_seconds; }

}  // namespace parity::runtime
