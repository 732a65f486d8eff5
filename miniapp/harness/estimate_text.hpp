// SPDX-License-Identifier: BSD-3-Clause
// Estimates as every table shows them.
#pragma once
#include <string>

#include "harness/statistics.hpp"

namespace parity::harness {

/// How a number of a column is written.
struct NumberFormat {
  double factor = 1;
  int digits = 3;  ///< after the point; with 'significant' of the whole number
  bool significant = false;
  bool sign = false;  ///< also of positive numbers
  std::string of(double value) const;
};

/// "[1.002, 1.020]"; "[n = 2]" where there are too few blocks for an interval.
std::string interval_text(const Estimate& estimate, const NumberFormat& format);
/// Why a difference of times says nothing: it is lost in what varies from start to start. Empty where it
/// does, or where there is no interval.
std::string why_lost(const Estimate& estimate);
/// A time in the unit that suits it: "60.1 ms [59.2, 61.4]".
std::string time_text(const Estimate& seconds);
/// The value and its interval: "1.013 [1.002, 1.020]".
std::string text_of(const Estimate& estimate, const NumberFormat& format);

}  // namespace parity::harness
