// SPDX-License-Identifier: BSD-3-Clause
// The factor of N steps for each Fourier mode of a plane. The operator is linear and periodic with constant
// coefficients, so modes do not mix.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "diffusion/problem.hpp"

namespace parity::diffusion {

/// (1 - alpha lambda^2)^N / (nx ny) for the half plane (ny, nx/2 + 1) of modes of a real transform.
inline std::vector<double> propagator(const Problem& p) {
  const std::int64_t half = p.nx / 2 + 1;
  std::vector<double> factor(std::size_t(p.ny * half));
  const auto sines2 = [](std::int64_t n, std::int64_t modes) {
    std::vector<long double> all(static_cast<std::size_t>(modes));
    for (std::int64_t k = 0; k < modes; ++k) {
      const long double s =
          std::sin(3.141592653589793238462643383279502884L * (long double)(k) / (long double)(n));
      all[std::size_t(k)] = s * s;
    }
    return all;
  };
  const std::vector<long double> x = sines2(p.nx, half), y = sines2(p.ny, p.ny);
#pragma omp parallel for
  for (std::int64_t ky = 0; ky <= p.ny / 2; ++ky) {
    double* const row = factor.data() + ky * half;
    for (std::int64_t kx = 0; kx < half; ++kx) {
      // lambda = -4 (sin^2 + sin^2) avoids the cancellation of the sum of cosines for long waves.
      const long double lambda = -4 * (x[std::size_t(kx)] + y[std::size_t(ky)]),
                        decay = p.alpha * lambda * lambda;
      const long double magnitude =
          decay < 1 ? std::exp((long double)(p.steps) * std::log1p(-decay))
                    : std::pow(std::abs(1 - decay), (long double)(p.steps)) * (p.steps % 2 == 0 ? 1 : -1);
      row[kx] = double(magnitude / (long double)(p.nx * p.ny));
    }
    // The response is even in ky.
    if (ky > 0 && 2 * ky != p.ny) std::copy(row, row + half, factor.data() + (p.ny - ky) * half);
  }
  return factor;
}

}  // namespace parity::diffusion
