// SPDX-License-Identifier: BSD-3-Clause
// Division by a number that a whole kernel shares: prepared once on the host, then a multiplication, an
// addition and a shift. A GPU's division takes some twenty instructions.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "host_device.hpp"

namespace parity::runtime {

/// n / divisor, rounded down, for every n in [0, 2^31) and divisor in [1, 2^31): the quotient is
/// (n + m n / 2^32) / 2^s with s = ceil(log2 divisor), m = floor(2^32 (2^s - divisor) / divisor) + 1
/// (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994). n + m n / 2^32 stays
/// below 2^32 in this range.
class FastDivide {
 public:
  static constexpr std::int64_t limit = std::int64_t(1) << 31;  ///< of numerators and divisors, excluded

  /// Throws std::out_of_range for a divisor outside [1, 2^31).
  explicit FastDivide(std::int64_t divisor) : divisor_(std::uint32_t(divisor)) {
    if (divisor < 1 || divisor >= limit)
      throw std::out_of_range("FastDivide: " + std::to_string(divisor) + " is no divisor from 1 to 2^31 - 1");
    while ((std::int64_t(1) << shift_) < divisor) ++shift_;
    const std::uint64_t power = std::uint64_t(1) << shift_;
    multiplier_ = std::uint32_t(((power - divisor_) << 32) / divisor_ + 1);
  }

  PARITY_INLINE std::uint32_t divisor() const { return divisor_; }
  PARITY_INLINE std::uint32_t operator()(std::uint32_t n) const { return (high_product(n) + n) >> shift_; }
  /// n modulo the divisor, given the quotient.
  PARITY_INLINE std::uint32_t remainder(std::uint32_t n, std::uint32_t quotient) const {
    return n - quotient * divisor_;
  }

 private:
  PARITY_INLINE std::uint32_t high_product(std::uint32_t n) const {
#if defined(__CUDA_ARCH__)
    return __umulhi(multiplier_, n);
#else
    return std::uint32_t((std::uint64_t(multiplier_) * n) >> 32);
#endif
  }

  std::uint32_t divisor_, multiplier_, shift_ = 0;
};

}  // namespace parity::runtime
