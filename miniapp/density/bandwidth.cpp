// SPDX-License-Identifier: BSD-3-Clause
#include "density/bandwidth.hpp"

#include <fftw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/error.hpp"

namespace parity::density {
namespace {

struct Spread {
  double deviation = 0, effective = 0;
};

Spread spread_of(const Samples& s) {
  double total = 0, squares = 0, mean = 0;
  const auto weight = [&s](std::size_t i) { return s.w.empty() ? 1.0 : s.w[i]; };
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    total += weight(i);
    squares += weight(i) * weight(i);
    mean += weight(i) * s.x[i];
  }
  mean /= total;
  double variance = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    variance += weight(i) / total * (s.x[i] - mean) * (s.x[i] - mean);
  const double effective = total * total / squares;
  if (!(effective > 1 && variance > 0))
    throw runtime::UsageError(
        "the samples have no spread, so that no rule can choose a bandwidth; give --bandwidth a number");
  return {std::sqrt(variance * effective / (effective - 1)), effective};
}

/// Botev's map t -> xi gamma^[l](t) less t, l = 7, of the squared cosine coefficients a2 (from the first mode
/// on).
double isj_map(double t, double n, const std::vector<double>& a2) {
  const auto norm_of_derivative = [&a2](int s, double time) {
    double sum = 0;
    for (std::size_t k = 1; k <= a2.size(); ++k) {
      const double i = double(k) * double(k);
      sum += std::pow(i, s) * a2[k - 1] * std::exp(-i * M_PI * M_PI * time);
    }
    return 2 * std::pow(M_PI, 2 * s) * sum;
  };
  double f = norm_of_derivative(7, t);
  for (int s = 6; s >= 2; --s) {
    double odd = 1;  // (2s-1)!!
    for (int k = 3; k <= 2 * s - 1; k += 2) odd *= k;
    const double constant = (1 + std::pow(0.5, s + 0.5)) / 3;
    const double time = std::pow(2 * constant * odd / std::sqrt(2 * M_PI) / (n * f), 2.0 / (3 + 2 * s));
    f = norm_of_derivative(s, time);
  }
  return t - std::pow(2 * n * std::sqrt(M_PI) * f, -0.4);
}

}  // namespace

double scott_bandwidth(const Samples& s) {
  const Spread spread = spread_of(s);
  return spread.deviation * std::pow(spread.effective, -0.2);
}

double silverman_bandwidth(const Samples& s) {
  const Spread spread = spread_of(s);
  return spread.deviation * std::pow(0.75 * spread.effective, -0.2);
}

double isj_bandwidth(const Samples& s) {
  spread_of(s);
  constexpr int cells = 1 << 14;
  const auto ends = std::minmax_element(s.x.begin(), s.x.end());
  const double range = *ends.second - *ends.first, lower = *ends.first - range / 10, length = 1.2 * range;
  std::vector<double> histogram(cells), cosine(cells);
  const double total = s.total();
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const auto cell = std::min(std::int64_t((s.x[i] - lower) / length * cells), std::int64_t(cells - 1));
    histogram[std::size_t(cell)] += (s.w.empty() ? 1.0 : s.w[i]) / total;
  }
  const fftw_plan plan =
      fftw_plan_r2r_1d(cells, histogram.data(), cosine.data(), FFTW_REDFT10, FFTW_ESTIMATE);
  // Planning may use its arrays; an estimate does not, so the histogram is still there.
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  std::vector<double> a2;
  for (int k = 1; k < cells; ++k) a2.push_back(cosine[std::size_t(k)] * cosine[std::size_t(k)] / 4);
  const double n =
      s.w.empty() ? double(std::set<double>(s.x.begin(), s.x.end()).size()) : spread_of(s).effective;
  // The smallest root: the first change of sign from a bandwidth of a hundredth of a cell on.
  double low = std::pow(0.01 / cells, 2), value = isj_map(low, n, a2);
  for (double high = low * 1.3; high < 0.2; low = high, high *= 1.3) {
    const double next = isj_map(high, n, a2);
    if (!(value < 0 && next >= 0)) {
      value = next;
      continue;
    }
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (isj_map(middle, n, a2) < 0 ? low : high) = middle;
    }
    return std::sqrt(high) * length;
  }
  throw runtime::UsageError(
      "Improved Sheather-Jones finds no bandwidth for these samples (too few, or far outliers); use "
      "--bandwidth "
      "silverman or a number");
}

double lscv_score(const Samples& s, double h) {
  const double total = s.total(), peak = 1 / (h * std::sqrt(2 * M_PI));
  const auto at_samples = [&s](double bandwidth) {
    // The sum over samples must be exact to much less than one sample's own part, 1.
    if (s.x.size() < 2000) return direct_sums(s, s.x, bandwidth, Kernel{}).values;
    return transform_sums(s, s.x, bandwidth, 1e-10, true).values;
  };
  const std::vector<double> wide = at_samples(h * std::sqrt(2.0)), narrow = at_samples(h);
  double square = 0, cross = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const double p = (s.w.empty() ? 1.0 : s.w[i]) / total;
    square += p * wide[i] / total;
    if (p < 1) cross += p * (narrow[i] / total - p) / (1 - p);
  }
  return peak * (square / std::sqrt(2.0) - 2 * cross);
}

double lscv_bandwidth(const Samples& s) {
  const double top = 2 * scott_bandwidth(s);
  // From coarse to fine: the criterion may have several minima, so the whole range is looked at first.
  constexpr int steps = 24;
  constexpr double span = 200;
  std::vector<double> bandwidths, scores;
  for (int k = 0; k <= steps; ++k) {
    bandwidths.push_back(top * std::pow(span, double(k) / steps - 1));
    scores.push_back(lscv_score(s, bandwidths.back()));
  }
  const auto best = std::size_t(std::min_element(scores.begin(), scores.end()) - scores.begin());
  if (best == 0)
    throw runtime::UsageError(
        "least-squares cross-validation falls without end towards bandwidth 0 (the samples repeat values); "
        "use "
        "--bandwidth isj, silverman or a number");
  double low = std::log(bandwidths[best - 1]),
         high = std::log(bandwidths[std::min(best + 1, bandwidths.size() - 1)]);
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = lscv_score(s, std::exp(a)), at_b = lscv_score(s, std::exp(b));
  while (high - low > 1e-4) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = lscv_score(s, std::exp(a));
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = lscv_score(s, std::exp(b));
    }
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace parity::density
