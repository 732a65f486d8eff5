// SPDX-License-Identifier: BSD-3-Clause
#include "tools/filter/response.hpp"

#include <fmt/format.h>

#include <cmath>

#include "diffusion/problem.hpp"
#include "runtime/error.hpp"

namespace parity::filter {
namespace {

constexpr double most_steps = 1e9;

/// lambda^2 of a wave along 'axes' axes.
double lambda_squared(double wavelength, int axes) {
  const double s = std::sin(M_PI / wavelength), lambda = 4 * axes * s * s;
  return lambda * lambda;
}

double power(const Strength& s, double lambda2) {
  const double decay = s.alpha * lambda2;
  if (decay < 1) return std::exp(double(s.steps) * std::log1p(-decay));
  return std::pow(decay - 1, double(s.steps)) * (s.steps % 2 == 0 ? 1 : -1);
}

/// Drops the sign of values that print as zero.
double percent(double share) { return std::abs(share) < 5e-7 ? 0 : 100 * share; }

}  // namespace

double response(const Strength& s, double wavelength) { return power(s, lambda_squared(wavelength, 1)); }
double diagonal_response(const Strength& s, double wavelength) {
  return power(s, lambda_squared(wavelength, 2));
}

Strength strength_for(double wavelength, double damping, double most_alpha) {
  if (!(wavelength >= 2 && std::isfinite(wavelength)))
    throw runtime::UsageError(
        fmt::format("--wavelength is {}; give the length of a wave in grid points, at least 2", wavelength));
  if (!(damping > 0 && damping < 1))
    throw runtime::UsageError(fmt::format(
        "--damping is {}; give the share of the amplitude to take away, above 0 and below 1", damping));
  const double lambda2 = lambda_squared(wavelength, 1), kept = std::log1p(-damping);
  // A step multiplies that wave by 1 - alpha lambda2 and the shortest one, along both axes, by 1 - 64 alpha.
  // Beyond this alpha the second factor, then negative, would be larger in magnitude.
  const double alpha = std::min(most_alpha, 2 / (lambda2 + lambda_squared(2, 2)));
  const double steps = std::ceil(kept / std::log1p(-alpha * lambda2) * (1 - 1e-12));
  if (!(steps <= most_steps))
    throw runtime::UsageError(
        fmt::format("--wavelength {} grid points: {:.1e} steps would be needed, more than {:.0e}; coarsen "
                    "the field first",
                    wavelength, steps, most_steps));
  Strength s;
  s.steps = std::max<std::int64_t>(1, std::int64_t(steps));
  s.alpha = std::min(alpha, -std::expm1(kept / double(s.steps)) / lambda2);
  return s;
}

double half_wavelength(const Strength& s) {
  const double taken = -std::expm1(std::log(0.5) / double(s.steps));  // per step
  return M_PI / std::asin(std::pow(taken / (16 * s.alpha), 0.25));
}

std::string shortest_waves(const Strength& s) {
  return fmt::format(
      "left of waves of 2 grid points: {:.3g}% along x or y, {:.3g}% along both (checkerboards)\n",
      std::abs(percent(response(s, 2))), std::abs(percent(diagonal_response(s, 2))));
}

std::string response_table(const Strength& s) {
  std::string text =
      fmt::format("{} steps with alpha {:.6g}: what is left of a wave's amplitude\n  {:>12} {:>12} {:>12}\n",
                  s.steps, s.alpha, "grid points", "along x or y", "along both");
  for (const double w : {2.0,  2.5,  3.0,  4.0,  5.0,  6.0,  8.0,   10.0,  12.0,  16.0,
                         20.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0, 256.0, 512.0, 1024.0})
    text += fmt::format("  {:>12} {:>11.4f}% {:>11.4f}%\n", w, percent(response(s, w)),
                        percent(diagonal_response(s, w)));
  const double left = std::abs(diagonal_response(s, 2));
  if (s.alpha > 1.0 / 64 && left > 0.01 && left > std::abs(response(s, 2)))
    text += fmt::format(
        "checkerboards (2 grid points along both axes) keep {:.1f}%, with another sign after each step: a "
        "smaller "
        "alpha takes more of them\n",
        100 * left);
  if (std::abs(response(s, 2)) >= 0.5)
    text += "every wave along an axis keeps half of its amplitude or more\n";
  else
    text += fmt::format("waves along an axis of {:.2f} grid points keep half of their amplitude\n",
                        half_wavelength(s));
  return text;
}

}  // namespace parity::filter
