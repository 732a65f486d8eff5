// SPDX-License-Identifier: BSD-3-Clause
// The grid that linear binning needs to meet a tolerance.
//
// Splitting a sample between its two nearest grid points changes a term by at most spacing^2 / 8 max|K''|,
// and so does interpolating the result. We sum over intervals of width 2h around a query. None of them holds
// more than exp(1/2) times the largest density over K_h(0), and |r^2 - 1| exp(-r^2/2) is at most 1, 0.446 and
// 0.089 in them. Hence error <= 2 * 3.42 / 8 (spacing / h)^2 times the largest density.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kde/expansion.hpp"

namespace parity::kde {

struct BinningGrid {
  double lower = 0, spacing = 0;
  std::int64_t points = 0;
};
constexpr std::int64_t most_grid_points = std::int64_t(1) << 26;

inline double binning_bound(double spacing_over_h) { return 2 * 3.42 / 8 * spacing_over_h * spacing_over_h; }

/// A grid over the samples plus the cutoff on both sides, so that the periodic convolution wraps around only
/// into zeros. The number of points has small prime factors for the FFT.
inline BinningGrid binning_grid(double lower, double upper, double h, double tolerance) {
  BinningGrid g;
  const double margin = cutoff_for(tolerance / 4) * h;
  g.spacing = h * std::min(0.5, std::sqrt(0.75 * tolerance / binning_bound(1)));
  g.lower = lower - margin;
  const double wanted = (upper - lower + 2 * margin) / g.spacing + 2;
  if (wanted > 4e18) return {g.lower, g.spacing, std::int64_t(4e18)};
  const auto least = std::int64_t(wanted);
  std::int64_t best = 1;
  while (best < least) best *= 2;
  for (const std::int64_t odd : {3, 5, 9, 15})
    for (std::int64_t n = odd; n <= best; n *= 2)
      if (n >= least) best = std::min(best, n);
  g.points = best;
  return g;
}

/// Replaces 'points' values, one spacing apart, by their convolution with exp(-x^2 / (2 h^2)): multiplies
/// each Fourier mode by the Gaussian's transform. ratio = h / spacing, at least 1.
void convolve_on_host(double* grid, std::int64_t points, double ratio);

}  // namespace parity::kde
