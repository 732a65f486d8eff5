// SPDX-License-Identifier: BSD-3-Clause
// The verdict on one result. A variant that is wrong has no time.
#pragma once
#include <cmath>
#include <string>

namespace parity::harness {

struct Verdict {
  double error = 0;  ///< largest deviation over the largest value of the input; infinite for NaN
  double tolerance = 0;
  std::string reference;  ///< what it was compared with
  /// Why its time is unreliable although its result is right: a check of a time failed. Empty elsewhere.
  std::string caveat = {};
  bool passed() const {
    return (error >= 0 && error <= tolerance && std::isfinite(tolerance)) || !caveat.empty();
  }
};

}  // namespace parity::harness
