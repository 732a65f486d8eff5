// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the fast Gauss transform: the samples of a box become moments about its centre, and
// moments become the Taylor series of their field in another box.
//
// With r = D + s tau - s t (D is the distance of the centres, s half the box width, all in units of h; tau
// and t in [-1, 1] are the positions of query and sample), exp(-r^2/2) = sum_k tau^k sum_m t^m a(k, m),
// a(k, m) = (-1)^k He_{k+m}(D) exp(-D^2/2) s^{k+m} / (k! m!), He are the probabilists' Hermite polynomials.
// Greengard and Strain (1991) with Taylor instead of Hermite expansions; the bounds use Cramer's inequality,
// |He_n(x)| exp(-x^2/4) <= 1.0865 sqrt(n!).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace parity::kde {

/// a(k, m) for k, m < terms, row k first; half_width and distance in units of h.
inline std::vector<double> translation(int terms, double half_width, double distance) {
  // g(n) = He_n(D) exp(-D^2/2) s^n / n! by the Hermite recurrence, scaled at each step to avoid overflow.
  std::vector<double> g(std::size_t(2 * terms));
  g[0] = std::exp(-0.5 * distance * distance);
  if (g.size() > 1) g[1] = half_width * distance * g[0];
  for (std::size_t n = 2; n < g.size(); ++n)
    g[n] = (half_width * distance * g[n - 1] - half_width * half_width * g[n - 2]) / double(n);
  std::vector<double> a(std::size_t(terms * terms));
  for (int k = 0; k < terms; ++k) {
    double binomial = 1;  // (k+m)! / (k! m!)
    for (int m = 0; m < terms; ++m) {
      a[std::size_t(k * terms + m)] = (k % 2 ? -1 : 1) * binomial * g[std::size_t(k + m)];
      binomial *= double(k + m + 1) / double(m + 1);
    }
  }
  return a;
}

/// Error bound of the truncated series, relative to the largest density: Cramer's bound of the first omitted
/// terms, summed over intervals of width 2h around a query, each of which holds at most exp(1/2) times the
/// largest density over K_h(0).
inline double series_bound(int terms, double half_width) {
  double source = std::pow(half_width, terms) / std::sqrt(std::tgamma(terms + 1.0));
  double both = 0;
  for (int m = 0; m < terms; ++m)
    both += std::exp(0.5 * std::lgamma(terms + m + 1.0) - std::lgamma(terms + 1.0) - std::lgamma(m + 1.0)) *
            std::pow(half_width, terms + m);
  const double intervals = std::exp(0.5) * (1 + 2 * (std::exp(-0.25) + std::exp(-2.25) + std::exp(-6.25)));
  // The omitted terms form nearly geometric series.
  return 1.0865 * intervals * (source + both) / (1 - half_width);
}

/// Bound of the contribution of samples farther than cutoff * h, relative to the largest density.
inline double cutoff_bound(double cutoff) {
  double sum = 0;
  for (int k = 0; k < 20; ++k) sum += std::exp(-0.5 * (cutoff + 2 * k) * (cutoff + 2 * k));
  return 2 * std::exp(0.5) * sum;
}

/// The smallest cutoff whose bound is below the tolerance.
inline double cutoff_for(double tolerance) {
  double low = 0.5, high = 40;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (cutoff_bound(middle) > tolerance ? low : high) = middle;
  }
  return high;
}

/// The largest half box width, at most 1/2, whose series bound is below the tolerance.
inline double half_width_for(int terms, double tolerance) {
  double low = 1e-3, high = 0.5;
  if (series_bound(terms, high) <= tolerance) return high;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (series_bound(terms, middle) > tolerance ? high : low) = middle;
  }
  return low;
}

struct TransformPlan {
  int terms = 8;
  double half_width = 0;  ///< half a box, in units of h
  double cutoff = 0;      ///< in units of h
  double bound = 0;       ///< of the error, relative to the largest density
  int reach = 0;          ///< neighbouring boxes on either side that contribute
  double lower = 0;       ///< left end of the first box
  double width = 0;       ///< of a box
  std::int64_t boxes = 0;
};

/// Parameters that depend on the tolerance only, in units of h. Half of the tolerance goes to the series,
/// half to the cutoff. 4, 8 or 12 terms; the boxes are as wide as the bound allows.
struct TransformAccuracy {
  int terms;
  double half_width, cutoff, bound;
  explicit TransformAccuracy(double tolerance)
      : terms(tolerance >= 1e-4   ? 4
              : tolerance >= 1e-8 ? 8
                                  : 12),
        half_width(half_width_for(terms, tolerance / 2)),
        cutoff(cutoff_for(tolerance / 2)),
        bound(series_bound(terms, half_width) + cutoff_bound(cutoff)) {}
};

inline TransformPlan plan_transform(const TransformAccuracy& a, double lower, double upper, double h) {
  TransformPlan p;
  p.terms = a.terms;
  p.half_width = a.half_width;
  p.cutoff = a.cutoff;
  p.bound = a.bound;
  p.width = 2 * a.half_width * h;
  p.lower = lower;
  p.boxes = std::int64_t(std::min((upper - lower) / p.width, 1e18)) + 1;
  p.reach = int(std::ceil(a.cutoff * h / p.width)) + 1;
  return p;
}

/// Dense arrays of more boxes are refused.
constexpr std::int64_t most_boxes = std::int64_t(1) << 24;

}  // namespace parity::kde
