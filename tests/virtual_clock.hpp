// SPDX-License-Identifier: BSD-3-Clause
// A host clock that only a test moves, so that timings are exact on any machine.
#pragma once
#include "runtime/clock.hpp"

namespace parity::test {

class VirtualClock {
 public:
  VirtualClock() : replaced_(&read) { now_ = 0; }
  static void pass(double seconds) { now_ += seconds; }

 private:
  /// Each reading takes a nanosecond, so that a loop that waits for a time ends.
  static double read() { return now_ += 1e-9; }
  static inline double now_ = 0;
  runtime::ReplacedHostClock replaced_;
};

}  // namespace parity::test
