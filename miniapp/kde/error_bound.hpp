// SPDX-License-Identifier: BSD-3-Clause
// How far rounding may take a right sum from the exact one, relative to the exact sum, S = sum_j t_j with
// t_j = exp(-r_j^2 / 2), r_j = (q - x_j) / h. The query is a sample itself, so that S >= 1. u: unit roundoff.
//
// Terms. Difference, scale and product round r by u each, its square once more: an exponent r^2 / 2 that is
// wrong by 3.5 u r^2, and so is the term, relatively. Everything else (the exponential, its polynomial, the
// library's) adds a constant. Over all samples that is u (3.5 C + constant), C = sum_j t_j r_j^2 / S. Of n
// samples and a query C is largest with all of them at one distance: 2 W(n / e), W Lambert's function (the
// maximum of n t r^2 / (1 + n t)).
//
// Sums. m additions of positive terms one after the other are wrong by (m - 1) u at most (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd edition, section 4.2; here without terms in u^2). Sums that are
// flushed to double make m a constant. One running sum is bounded by its running error, u times the sum of
// the partial sums (section 3.3 there), less where a term is smaller than that: to lose it costs itself.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kde/gaussian.hpp"
#include "kde/tile_sum.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

inline double unit_roundoff(Precision p) { return std::ldexp(1.0, p == Precision::f32 ? -24 : -53); }

/// Of the reference: what its check against the compensated sum lets through.
constexpr double reference_error = 1e-13;

/// Relative error of a term, in u, where r = 0: minimax error and roundings of the polynomials (header of
/// gaussian.hpp), 2 ulp of a GPU's exp2 and expf. In double the table's polynomial is wrong by 4.5e-15.
inline double term_constant(Precision p) { return p == Precision::f32 ? 6 : 46; }
/// In u and r^2.
constexpr double term_slope = 3.5;

/// The largest C that n samples can have.
inline double largest_condition(double n) {
  const double z = n / std::exp(1.0);
  double w = std::log1p(z);
  for (int step = 0; step < 20; ++step) w -= (w * std::exp(w) - z) / (std::exp(w) * (w + 1));
  return 2 * w;
}

/// What the terms of a sum over n samples may be wrong by.
inline double terms_error(Precision p, double n) {
  return unit_roundoff(p) * (term_slope * largest_condition(n) + term_constant(p));
}

/// Of sums that are flushed: 'chain' additions in the data's precision, then 'flushes' in double.
inline double flushed_error(Precision p, double chain, double flushes) {
  return unit_roundoff(p) * chain + unit_roundoff(Precision::f64) * flushes;
}

/// Of one running sum over the samples in their order, at query q.
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

/// A plain running sum is gated where its samples crowd most, with a quarter more for the other queries.
/// It takes the samples of the problem, which are in random order.
constexpr double plain_margin = 1.25;

/// Above this a gate would not see a constant that is wrong by 1 %.
constexpr double largest_gate = 5e-3;

}  // namespace parity::kde
