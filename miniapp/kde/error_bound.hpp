// SPDX-License-Identifier: BSD-3-Clause
// Bounds of the rounding error of a correct sum, relative to the exact sum S = sum_j t_j of the terms
// t_j = exp(-r_j^2 / 2), r_j = (q - x_j) / h. The query is a sample itself, so S >= 1. u: unit roundoff.
//
// Terms. Difference, scale and product each round r by u, and the square rounds once more: the exponent
// r^2 / 2 has the absolute error 3.5 u r^2, which is the term's relative error. Everything else (the
// exponential, whether polynomial or library) adds a constant. Over all samples this gives u (3.5 C +
// constant), C = sum_j t_j r_j^2 / S. For n samples, C is largest if all are at one distance from the query:
// 2 W(n / e), W is Lambert's function (the maximum of n t r^2 / (1 + n t)).
//
// Sums. m successive additions of positive terms have a relative error of at most (m - 1) u (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd edition, section 4.2; here without terms in u^2). Flushing to
// double makes m a constant. The running error bounds one running sum: u times the sum of the partial sums
// (section 3.3 there), or the term itself if that is smaller: losing it costs no more.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kde/gaussian.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

inline double unit_roundoff(Precision p) { return std::ldexp(1.0, p == Precision::f32 ? -24 : -53); }

/// Error of the reference: the limit of its check against the compensated sum.
constexpr double reference_error = 1e-13;

/// Relative error of a term at r = 0, in units of u: the polynomials' minimax error and roundings (header of
/// gaussian.hpp), 2 ulp of a GPU's exp2 and expf. In double the table's polynomial is off by 4.5e-15.
inline double term_constant(Precision p) { return p == Precision::f32 ? 6 : 46; }
/// In units of u r^2.
constexpr double term_slope = 3.5;

/// The largest C that n samples can have.
inline double largest_condition(double n) {
  const double z = n / std::exp(1.0);
  double w = std::log1p(z);
  for (int step = 0; step < 20; ++step) w -= (w * std::exp(w) - z) / (std::exp(w) * (w + 1));
  return 2 * w;
}

/// Bound of the relative error that the terms cause in a sum over n samples.
inline double terms_error(Precision p, double n) {
  return unit_roundoff(p) * (term_slope * largest_condition(n) + term_constant(p));
}

/// The same for flushed sums: 'chain' additions in the data's precision, then 'flushes' in double.
inline double flushed_error(Precision p, double chain, double flushes) {
  return unit_roundoff(p) * chain + unit_roundoff(Precision::f64) * flushes;
}

/// The same for one running sum at query q over the samples in their order.
template <class T>
double running_error(const std::vector<T>& samples, double q, double h, double u) {
  double sum = 0, error = 0;
  for (const T x : samples) {
    const double r = (q - double(x)) / h, term = std::exp(-0.5 * r * r);
    sum += term;
    error += std::min(term, u * sum);
  }
  return error / sum;
}

/// The index of the sample with the most others within 'reach' of it.
template <class T>
std::size_t most_crowded(const std::vector<T>& samples, double reach) {
  std::vector<std::size_t> order(samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return samples[a] < samples[b]; });
  const auto at = [&](std::size_t k) { return double(samples[order[k]]); };
  std::size_t low = 0, high = 0, best = 0, most = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    while (at(k) - at(low) > reach) ++low;
    while (high < order.size() && at(high) - at(k) <= reach) ++high;
    if (high - low > most) most = high - low, best = order[k];
  }
  return best;
}

/// The gate of a plain running sum is computed at the most crowded sample; this margin covers the other
/// queries. The sum takes the problem's samples in their random order.
constexpr double plain_margin = 1.25;

/// Above this, a gate would not detect a constant that is off by 1 %.
constexpr double largest_gate = 5e-3;

}  // namespace parity::kde
