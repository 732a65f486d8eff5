// SPDX-License-Identifier: BSD-3-Clause
// The steps of kernels that sum by pairs, as plain loops with the same operations in the same order, so that
// results are bitwise identical.
#pragma once
#include <cmath>
#include <utility>
#include <vector>

#include "diffusion/problem.hpp"
#include "diffusion/stencil.hpp"

namespace parity::test {

/// Interior (nz, ny, nx) after the steps; with DeferredScale for its alpha. A GPU's compiler fuses the
/// update's product and difference; a host's compiler does if its target has FMA. crossed: sums of two
/// neighbours in a row and two in a column instead of pairs.
template <class T>
std::vector<T> pair_steps(const diffusion::Problem& p, std::vector<T> phi, bool on_device = false,
                          bool crossed = false) {
  using Scaled = diffusion::DeferredScale<T>;
  const bool deferred = p.alpha == Scaled::alpha;
  const T alpha = T(p.alpha);
  std::vector<T> lap(phi.size()), next(phi.size());
  const auto at = [&p](const std::vector<T>& f, std::int64_t k, std::int64_t j, std::int64_t i) {
    return f[std::size_t((k * p.ny + (j + p.ny) % p.ny) * p.nx + (i + p.nx) % p.nx)];
  };
  const auto each = [&](const auto& make) {
    for (std::int64_t k = 0; k < p.nz; ++k)
      for (std::int64_t j = 0; j < p.ny; ++j)
        for (std::int64_t i = 0; i < p.nx; ++i) make(k, j, i, std::size_t((k * p.ny + j) * p.nx + i));
  };
  const auto sums = [&](const std::vector<T>& f, std::int64_t k, std::int64_t j, std::int64_t i) {
    const T west = at(f, k, j, i - 1), east = at(f, k, j, i + 1), south = at(f, k, j - 1, i),
            north = at(f, k, j + 1, i);
    return crossed ? std::pair(west + east, south + north) : std::pair(south + west, east + north);
  };
  for (std::int64_t step = 0; step < p.steps; ++step) {
    each([&](std::int64_t k, std::int64_t j, std::int64_t i, std::size_t n) {
      const auto [before, after] = sums(phi, k, j, i);
      lap[n] = deferred ? Scaled::inner(phi[n], before, after)
                        : diffusion::laplacian_of_pairs(phi[n], before, after);
    });
    each([&](std::int64_t k, std::int64_t j, std::int64_t i, std::size_t n) {
      const auto [before, after] = sums(lap, k, j, i);
      // A power of two only changes the exponent, at any point of the calculation.
      next[n] = deferred    ? T(Scaled::scale) * Scaled::update(phi[n], before, after)
                : on_device ? std::fma(-alpha, diffusion::laplacian_of_pairs(lap[n], before, after), phi[n])
                            : diffusion::update_of_pairs(phi[n], alpha, lap[n], before, after);
    });
    phi.swap(next);
  }
  return phi;
}

}  // namespace parity::test
