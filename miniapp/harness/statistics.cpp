// SPDX-License-Identifier: BSD-3-Clause
#include "harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace parity::harness {
namespace {

/// Quantile by linear interpolation between order statistics (Hyndman and Fan's type 7).
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const std::size_t i = std::size_t(at);
  return i + 1 < sorted.size() ? sorted[i] + (at - double(i)) * (sorted[i + 1] - sorted[i]) : sorted.back();
}

/// The largest k for which order statistics k and n-1-k (from 0) bracket the median with at least 95 %.
std::size_t bracket(std::size_t n) {
  double probability = std::pow(0.5, double(n)), below = 0;
  for (std::size_t k = 0; 2 * k + 1 < n; ++k) {
    below += probability;
    if (below > 0.025) return k == 0 ? 0 : k - 1;
    probability *= double(n - k) / double(k + 1);
  }
  return 0;
}

}  // namespace

Summary summarise(std::vector<double> s) {
  Summary r;
  if (s.empty()) return r;
  std::sort(s.begin(), s.end());
  r.count = int(s.size());
  r.minimum = s.front();
  r.maximum = s.back();
  r.lower_quartile = quantile(s, 0.25);
  r.median = quantile(s, 0.5);
  r.upper_quartile = quantile(s, 0.75);
  r.mean = std::accumulate(s.begin(), s.end(), 0.0) / double(s.size());
  const std::size_t k = bracket(s.size());
  r.low = s[k];
  r.high = s[s.size() - 1 - k];
  return r;
}

namespace {

/// combine(median of a, median of b), and the same of resampled samples.
template <class Combine>
Ratio bootstrap(const std::vector<double>& a, const std::vector<double>& b, const Combine& combine) {
  Ratio r;
  if (a.empty() || b.empty()) return r;
  r.value = combine(summarise(a).median, summarise(b).median);
  std::mt19937_64 generator(1);
  const auto resampled_median = [&generator](const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (double& v : y) v = x[generator() % x.size()];
    std::sort(y.begin(), y.end());
    return quantile(y, 0.5);
  };
  std::vector<double> all(2000);
  for (double& q : all) {
    const double first = resampled_median(a), second = resampled_median(b);
    q = combine(first, second);
  }
  std::sort(all.begin(), all.end());
  r.low = quantile(all, 0.025);
  r.high = quantile(all, 0.975);
  return r;
}

}  // namespace

Ratio ratio_of_medians(const std::vector<double>& a, const std::vector<double>& b) {
  return bootstrap(a, b, [](double x, double y) { return x / y; });
}

Ratio difference_of_medians(const std::vector<double>& a, const std::vector<double>& b) {
  return bootstrap(a, b, [](double x, double y) { return x - y; });
}

}  // namespace parity::harness
