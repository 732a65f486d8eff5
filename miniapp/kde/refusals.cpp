// SPDX-License-Identifier: BSD-3-Clause
#include "kde/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "kde/error_bound.hpp"
#include "kde/reference.hpp"
#include "kde/symmetric.hpp"

namespace parity::kde {

double span_of(const Problem& p) {
  // Cached, because several variants need the same samples.
  static std::mutex guard;
  static std::map<std::string, double> known;
  const std::lock_guard<std::mutex> lock(guard);
  const std::string key = fmt::format("{} {} {}", p.n, name(p.distribution), p.seed);
  const auto at = known.find(key);
  if (at != known.end()) return at->second;
  const auto x = random_samples<float>(p);
  const auto ends = std::minmax_element(x.begin(), x.end());
  return known[key] = double(*ends.second) - double(*ends.first);
}

std::optional<std::string> refuse_other_tilings(const Problem& p, const Tuning& t) {
  if (t.values.size() == 1) {
    if (t[0] != 1 && t[0] != 2 && t[0] != 4 && t[0] != 8) return "a thread takes 1, 2, 4 or 8 queries";
    return std::nullopt;
  }
  if (t[0] != 4 || (t[1] != 16 && (t[1] < 2 || t[1] > 4)))
    return "2, 3, 4 or all of 16 pairs go to the polynomial, with 4 queries a thread";
  if (t[1] != 16 && p.precision == Precision::f64) return "it mixes units that compute in float only";
  return std::nullopt;
}

std::optional<std::string> refuse_symmetric(const Problem& p, const Tuning&) {
  if (p.precision == Precision::f64) return "its fixed-point sums hold float's digits only";
  if (p.n > most_symmetric_samples)
    return fmt::format("its fixed-point sums hold {} samples at most", most_symmetric_samples);
  return std::nullopt;
}

std::optional<std::string> refuse_running_sum(const Problem& p, const Tuning&) {
  Entry e;
  e.accuracy = Accuracy::plain_sum;
  const double gate = tolerance(p, e);
  if (gate <= largest_gate) return std::nullopt;
  return fmt::format(
      "its one running sum may be wrong by {:.1g} here, so that a constant wrong by 1 % might not show; "
      "others flush theirs",
      gate);
}

std::optional<std::string> refuse_wide_blocks(const Problem&, const Tuning& t) {
  if (!t.empty() && t[0] > 1024) return "a block has at most 1024 threads";
  return std::nullopt;
}

}  // namespace parity::kde
