// SPDX-License-Identifier: BSD-3-Clause
// A sum that no order of additions changes, for host and device alike: each term is rounded to multiples of a
// unit that is fixed beforehand, and sums of multiples are exact (pre-rounding; Demmel and Nguyen, Parallel
// Reproducible Summation, IEEE Transactions on Computers 64, 2015, with one bin fixed and two parts).
#pragma once
#include <cstdint>

#include "host_device.hpp"

namespace parity::kde {

/// Multiples of 2^-16 and of 2^-52 of terms from 0 to 256: what a direct sum flushes to double. Rounds a term
/// by 2^-53 at most. Exact up to 2^18 terms. Begin with {}. A term that is infinite or no number makes the
/// sum so.
struct ExactSum {
  double high, low;

  PARITY_INLINE ExactSum& operator+=(double term) {
    // The last bit of what lies between 1 and 2 times a power of two is the unit.
    constexpr double to_high = 1.5 * 68719476736.0, to_low = 1.5;
    const double coarse = (term + to_high) - to_high, rest = term - coarse;
    high += coarse;
    // Infinity less itself is no number.
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

/// The most samples whose flushed sums, one for 256 of them, add up exactly.
constexpr std::int64_t most_exact_samples = std::int64_t(1) << 26;

}  // namespace parity::kde
