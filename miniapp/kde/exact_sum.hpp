// SPDX-License-Identifier: BSD-3-Clause
// A sum that is independent of the order of additions, for host and device: each term is rounded to multiples
// of a fixed unit, and sums of multiples are exact (pre-rounding; Demmel and Nguyen, Parallel Reproducible
// Summation, IEEE Transactions on Computers 64, 2015, with one fixed bin and two parts).
#pragma once
#include <cstdint>

#include "host_device.hpp"

namespace parity::kde {

/// Sums terms from 0 to 256 (which a direct sum flushes to double) in multiples of 2^-16 and 2^-52. Rounds a
/// term by at most 2^-53; exact for up to 2^18 terms. Initialise with {}. An infinite or NaN term makes the
/// sum infinite or NaN.
struct ExactSum {
  double high, low;

  PARITY_INLINE ExactSum& operator+=(double term) {
    // Adding 1.5 times a power of two moves the last bit of the sum to the unit.
    constexpr double to_high = 1.5 * 68719476736.0, to_low = 1.5;
    const double coarse = (term + to_high) - to_high, rest = term - coarse;
    high += coarse;
    // Infinity minus itself is NaN.
    low += rest - rest == 0 ? (rest + to_low) - to_low : 0.0;
    return *this;
  }
  PARITY_INLINE ExactSum& operator+=(const ExactSum& other) {
    high += other.high;
    low += other.low;
    return *this;
  }
  PARITY_INLINE double value() const { return high + low; }
};

/// The most samples whose flushed sums, one per 256 samples, add up exactly.
constexpr std::int64_t most_exact_samples = std::int64_t(1) << 26;

}  // namespace parity::kde
