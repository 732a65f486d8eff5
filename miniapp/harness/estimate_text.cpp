// SPDX-License-Identifier: BSD-3-Clause
#include "harness/estimate_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parity::harness {

std::string NumberFormat::of(double value) const {
  const double v = factor * value;
  if (significant) return sign ? fmt::format("{:+.{}g}", v, digits) : fmt::format("{:.{}g}", v, digits);
  return sign ? fmt::format("{:+.{}f}", v, digits) : fmt::format("{:.{}f}", v, digits);
}

std::string interval_text(const Estimate& e, const NumberFormat& format) {
  if (!e.interval) return fmt::format("[n = {}]", e.blocks);
  return fmt::format("[{}, {}]", format.of(e.interval->low), format.of(e.interval->high));
}

std::string why_lost(const Estimate& e) {
  if (!e.interval) return "";
  if (e.interval->high < 0) return "the terms overlap";
  if (e.interval->low <= 0) return "the interval holds 0";
  return e.interval->high - e.interval->low > e.value ? "the interval is wider than the quantity" : "";
}

std::string time_text(const Estimate& e) {
  NumberFormat format{1, 4, true};
  const char* unit = "s";
  for (const char* smaller : {"ms", "us", "ns"})
    if (std::abs(e.value) * format.factor < 1) format.factor *= 1e3, unit = smaller;
  return format.of(e.value) + " " + unit + " " + interval_text(e, format);
}

std::string text_of(const Estimate& e, const NumberFormat& format) {
  return format.of(e.value) + " " + interval_text(e, format);
}

}  // namespace parity::harness
