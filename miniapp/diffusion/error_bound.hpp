// SPDX-License-Identifier: BSD-3-Clause
// Bound on the rounding error of a correct variant against the exact solution, relative to the largest input.
//
// Every operation of a step makes an error of at most u times its result (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd edition, section 2.2), and no result is larger than I = max(64 alpha, 1.75) times
// the largest value of the field: 64 alpha is the sum of the magnitudes of alpha times the 13 weights, 1.75
// that of the weights of the whole update. After m more steps the error of one point has gone to others with
// weights whose squares add up to the mean of mu^(2m) over all Fourier modes, mu = 1 - alpha lambda^2 the
// factor of a mode in one step (Parseval). A sum of n errors, each of mean 0 given the earlier ones, exceeds
// sqrt(2 log(2 / p)) times the root of the sum of their squares with probability p at most (Azuma's
// inequality: the probabilistic bound of Higham and Mary, SIAM J. Sci. Comput. 41 (2019), A2815). So with w
// operations per point and step
//   error <= safety u I growth sqrt(w sum_{m < N} mean mu^(2m)),
// where 'growth' bounds the growth of the largest value of any field. The variant gets a rounded alpha; this
// error is not random: the bound adds the derivative with respect to alpha, for a random field.
#pragma once
#include <cmath>
#include <cstdint>

#include "diffusion/problem.hpp"

namespace parity::diffusion {

/// Bound on the row sum of magnitudes after any number of steps, for alpha at most 1/32; the tests compute
/// row sums of 2.26 at most.
constexpr double field_growth = 2.5;

class ErrorBound {
 public:
  /// Uses nx, ny, nz, steps, alpha and precision. Visits a quarter of the modes: k and n - k have one factor.
  explicit ErrorBound(const Problem& p) : points_(double(p.points())) {
    const bool single = p.precision == Precision::f32;
    unit_ = std::ldexp(1.0, single ? -24 : -53);
    largest_ = std::max(64 * p.alpha, 1.75) * field_growth;
    const double rounded = single ? double(float(p.alpha)) : p.alpha;
    alpha_error_ = std::fabs(rounded - p.alpha) / p.alpha;
    modes_ = double(p.nx) * double(p.ny);
    const double n = double(p.steps), pi = 3.141592653589793;
    double noise = 0, slope = 0;
#pragma omp parallel for reduction(+ : noise, slope) schedule(static)
    for (std::int64_t ky = 0; ky <= p.ny / 2; ++ky) {
      double noise_of_row = 0, slope_of_row = 0;
      const double y = std::sin(pi * double(ky) / double(p.ny));
      for (std::int64_t kx = 0; kx <= p.nx / 2; ++kx) {
        const double x = std::sin(pi * double(kx) / double(p.nx)), lambda = 4 * (x * x + y * y);
        const double d = p.alpha * lambda * lambda;
        // log |mu| for mu = 1 - d
        const double log_mu = d < 1 ? std::log1p(-d) : std::log(std::fabs(1 - d));
        const double lost = -std::expm1(2 * log_mu);  // 1 - mu^2
        noise_of_row += alike(kx, p.nx) * (lost > 1e-14 ? -std::expm1(2 * n * log_mu) / lost : n);
        const double derivative = n * d * std::pow(std::fabs(1 - d), n - 1);
        slope_of_row += alike(kx, p.nx) * derivative * derivative;
      }
      noise += alike(ky, p.ny) * noise_of_row;
      slope += alike(ky, p.ny) * slope_of_row;
    }
    noise_ = std::sqrt(noise / modes_);
    slope_ = std::sqrt(slope / modes_);
  }

  /// The bound for a variant with this many operations per point and step. The probability that any point of
  /// a correct result exceeds it is 1e-6.
  double of(double operations) const {
    return safety() * (unit_ * largest_ * std::sqrt(operations) * noise_ + alpha_error_ * slope_) +
           reference();
  }
  /// The error of the exact solution itself: two transforms in double (Higham, theorem 24.2: log2 n times a
  /// small multiple of u, here 8).
  double reference() const { return std::ldexp(8.0, -53) * (1 + std::log2(modes_)); }

 private:
  /// Number of modes in [0, n) with the same factor as k, for k at most n / 2.
  static double alike(std::int64_t k, std::int64_t n) { return k == 0 || 2 * k == n ? 1 : 2; }
  double safety() const { return std::sqrt(2 * std::log(2e6 * points_)); }

  double points_, modes_ = 1, unit_ = 0, largest_ = 0, alpha_error_ = 0, noise_ = 0, slope_ = 0;
};

}  // namespace parity::diffusion
