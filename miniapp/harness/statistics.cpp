// SPDX-License-Identifier: BSD-3-Clause
#include "harness/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
  if (n > 1000) {  // 2^-n underflows; use the normal approximation
    const double k = 0.5 * double(n) - 0.98 * std::sqrt(double(n)) - 1;
    return std::size_t(k);
  }
  double probability = std::pow(0.5, double(n)), below = 0;
  for (std::size_t k = 0; 2 * k + 1 < n; ++k) {
    below += probability;
    if (below > 0.025) return k == 0 ? 0 : k - 1;
    probability *= double(n - k) / double(k + 1);
  }
  return 0;
}

double half_width_over(double low, double high, double value) {
  return value > 0 ? 0.5 * (high - low) / value : std::numeric_limits<double>::infinity();
}

/// 97.5 % quantile of Student's t: tabulated up to 10 degrees of freedom, beyond that the first terms of the
/// Cornish-Fisher expansion.
double student_quantile(int freedom) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (freedom <= int(std::size(table))) return table[freedom - 1];
  constexpr double z = 1.959964;
  const double f = freedom;
  return z + z * (z * z + 1) / (4 * f) + z * (5 * std::pow(z, 4) + 16 * z * z + 3) / (96 * f * f);
}

/// Half-width of the interval; needs at least least_processes values.
double half_width(const std::vector<double>& values) {
  const double n = double(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double f : values) squares += (f - mean) * (f - mean);
  return half_width_factor(int(values.size())) * std::sqrt(squares / (n - 1));
}

bool all_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v > 0 && std::isfinite(v); });
}

/// Half-width of the interval of the values' logarithms, as a factor.
double factor_of(std::vector<double> values) {
  for (double& v : values) v = std::log(v);
  return std::exp(half_width(values));
}

/// combine(a's median, b's median) for each process, and the number of samples used.
template <class Combine>
std::pair<std::vector<double>, int> by_process(const ByProcess& a, const ByProcess& b,
                                               const Combine& combine) {
  std::vector<double> values;
  int samples = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (a[k].empty() || b[k].empty()) continue;
    values.push_back(combine(median_of(a[k]), median_of(b[k])));
    samples += int(std::min(a[k].size(), b[k].size()));
  }
  return {values, samples};
}

}  // namespace

ByProcess quiet(const ByProcess& samples, const ByProcess& preemptions) {
  ByProcess chosen = samples;
  for (std::size_t k = 0; k < std::min(samples.size(), preemptions.size()); ++k) {
    std::vector<double> counts = preemptions[k];
    if (counts.size() != samples[k].size() || counts.empty()) continue;
    std::sort(counts.begin(), counts.end());
    const double most = counts[(counts.size() - 1) / 2];
    chosen[k].clear();
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (preemptions[k][i] <= most) chosen[k].push_back(samples[k][i]);
  }
  return chosen;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

std::pair<int, int> preempted(const ByProcess& preemptions) {
  std::pair<int, int> found{0, 0};
  for (const std::vector<double>& process : preemptions)
    for (const double count : process) found.first += count > 0, ++found.second;
  return found;
}

double half_width_factor(int processes) {
  // The difference of two such medians has twice the variance of one. For n normal values a median's
  // variance is nearly pi / (2 n + pi - 2) times theirs, which is estimated with n - 1 degrees of freedom.
  constexpr double pi = 3.14159265358979;
  return student_quantile(processes - 1) * std::sqrt(2 * pi / (2 * processes + pi - 2));
}

std::optional<double> Estimate::relative_half_width() const {
  if (!interval) return std::nullopt;
  return half_width_over(interval->low, interval->high, value);
}

bool Estimate::noisy() const { return interval && spread > noisy_spread; }

Estimate estimate(const std::vector<double>& values) {
  Estimate e;
  e.value = median_of(values);
  e.processes = e.samples = int(values.size());
  if (!values.empty()) e.least = *std::min_element(values.begin(), values.end());
  if (e.processes < least_processes) return e;
  const double half = half_width(values);
  e.interval = Interval{e.value - half, e.value + half};
  const Summary s = summarise(values);
  e.spread = 2 * half_width_over(s.lower_quartile, s.upper_quartile, e.value);
  return e;
}

Estimate estimate(const ByProcess& processes) {
  std::vector<double> medians;
  int samples = 0;
  for (const std::vector<double>& process : processes) {
    if (process.empty()) continue;
    medians.push_back(median_of(process));
    samples += int(process.size());
  }
  Estimate e = estimate(medians);
  e.samples = samples;
  // Times are positive, and if they vary this much, they vary by factors.
  if (e.interval && e.interval->low <= 0 && e.least >= 0)
    e.interval->low = all_positive(medians) ? e.value / factor_of(medians) : 0;
  return e;
}

Estimate ratio(const ByProcess& a, const ByProcess& b) {
  const auto [ratios, samples] = by_process(a, b, [](double x, double y) { return x / y; });
  Estimate e = estimate(ratios);
  e.samples = samples;
  if (!e.interval) return e;
  e.interval.reset();
  if (!all_positive(ratios)) return e;
  // Ratios vary by factors: bounds are then never negative, and the inverse ratio has the inverse interval.
  const double factor = factor_of(ratios);
  e.interval = Interval{e.value / factor, e.value * factor};
  return e;
}

Estimate difference(const ByProcess& a, const ByProcess& b) {
  const auto [differences, samples] = by_process(a, b, [](double x, double y) { return x - y; });
  Estimate e = estimate(differences);
  e.samples = samples;
  return e;
}

double Summary::relative_half_width() const { return half_width_over(low, high, median); }

Summary summarise(std::vector<double> s) {
  Summary r;
  if (s.empty()) return r;
  std::sort(s.begin(), s.end());
  r.lower_quartile = quantile(s, 0.25);
  r.median = quantile(s, 0.5);
  r.upper_quartile = quantile(s, 0.75);
  const std::size_t k = bracket(s.size());
  r.low = s[k];
  r.high = s[s.size() - 1 - k];
  return r;
}

std::string NumberFormat::of(double value) const {
  const double v = factor * value;
  if (significant) return sign ? fmt::format("{:+.{}g}", v, digits) : fmt::format("{:.{}g}", v, digits);
  return sign ? fmt::format("{:+.{}f}", v, digits) : fmt::format("{:.{}f}", v, digits);
}

std::string interval_text(const Estimate& e, const NumberFormat& format) {
  if (!e.interval) return fmt::format("[n = {}]", e.processes);
  return fmt::format("[{}, {}]", format.of(e.interval->low), format.of(e.interval->high));
}

std::string why_lost(const Estimate& e) {
  if (!e.interval) return e.value < 0 ? "it came out below 0" : "";
  if (e.interval->high < 0) return "the terms overlap";
  if (e.interval->low <= 0) return "the interval holds 0";
  return e.interval->high - e.interval->low > e.value ? "the interval is wider than the quantity" : "";
}

namespace {
/// The format and unit that suit a time.
std::pair<NumberFormat, const char*> time_format(double seconds) {
  NumberFormat format{1, 4, true};
  const char* unit = " s";
  for (const char* smaller : {" ms", " us", " ns"})
    if (std::abs(seconds) * format.factor < 1) format.factor *= 1e3, unit = smaller;
  return {format, unit};
}
}  // namespace

std::string time_of(double seconds) {
  const auto [format, unit] = time_format(seconds);
  return format.of(seconds) + unit;
}

std::string time_text(const Estimate& e) {
  if (e.interval && e.interval->low <= 0)
    return e.interval->high > 0 ? "below " + time_of(e.interval->high) : "lost in noise";
  if (!e.interval && e.value < 0) return "lost in noise";
  // The interval tells little more than the order of magnitude.
  if (e.interval && e.interval->high > 10 * e.interval->low) return time_of(e.value) + " (noisy)";
  return time_of(e.value) + " " + interval_text(e, time_format(e.value).first);
}

std::string ratio_text(const Estimate& e, int digits) {
  if (e.processes >= least_processes && !e.interval) return "lost in noise";
  const bool hidden = e.interval && e.interval->high > 4 * e.interval->low;
  return hidden ? "hidden by noise" : text_of(e, {1, digits});
}

std::string text_of(const Estimate& e, const NumberFormat& format) {
  return format.of(e.value) + " " + interval_text(e, format);
}

}  // namespace parity::harness
