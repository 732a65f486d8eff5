// SPDX-License-Identifier: BSD-3-Clause
#include "launch/second_clock.hpp"

#include <utility>
#include <vector>

#include "harness/statistics.hpp"

namespace parity::launch {
namespace {

double raw_seconds() { return 1e-9 * double(raw_nanoseconds()); }
double (*source)() = raw_seconds;

}  // namespace

double second_clock() { return source(); }

void wait_on_second_clock(double seconds) {
  if (seconds <= 0) return;
  const double start = second_clock();
  while (second_clock() - start < seconds) {
  }
}

double second_clock_reading() {
  std::vector<double> apart(101);
  for (double& a : apart) {
    const double before = second_clock();
    a = second_clock() - before;
  }
  return harness::median_of(std::move(apart));
}

ReplacedSecondClock::ReplacedSecondClock(double (*seconds)()) { source = seconds; }
ReplacedSecondClock::~ReplacedSecondClock() { source = raw_seconds; }

}  // namespace parity::launch
