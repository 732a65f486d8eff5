// SPDX-License-Identifier: BSD-3-Clause
// Host checks of planes with missing points.
#include "tools/filter/masked_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "diffusion/halo.hpp"
#include "diffusion/reference.hpp"
#include "tools/filter/plane_check.hpp"

namespace parity::filter {

template <class T>
ValidSums valid_sums(const diffusion::Problem& p, const T* plane, int threads) {
  std::int64_t valid = 0, places = 0;
  double sum = 0, least = std::numeric_limits<double>::infinity(), most = -least;
#pragma omp parallel for reduction(+ : valid, places, sum) reduction(min : least) reduction(max : most) \
    num_threads(threads) schedule(static)
  for (std::int64_t j = 0; j < p.ny; ++j) {
    double row = 0;
    for (std::int64_t i = 0; i < p.nx; ++i) {
      const T v = plane[j * p.nx + i];
      if (std::isnan(v)) continue;
      ++valid;
      places += (j * p.nx + i) % 1000003 * (i % 101 + 1);
      row += double(v);
      least = std::min(least, double(v));
      most = std::max(most, double(v));
    }
    sum += row;
  }
  const double mean = valid > 0 ? sum / double(valid) : 0;
  // In units of the largest value: squares of 1e-200 or 1e200 underflow or overflow.
  const double largest = valid > 0 ? std::max(std::abs(least), std::abs(most)) : 0;
  const double unit = largest > 0 && std::isfinite(largest) ? largest : 1;
  double squares = 0;
#pragma omp parallel for reduction(+ : squares) num_threads(threads) schedule(static)
  for (std::int64_t j = 0; j < p.ny; ++j) {
    double row = 0;
    for (std::int64_t i = 0; i < p.nx; ++i) {
      const double d = (double(plane[j * p.nx + i]) - mean) / unit;
      row += std::isnan(d) ? 0 : d * d;
    }
    squares += row;
  }
  return {valid, places, sum, unit * std::sqrt(squares), least, most};
}

std::optional<std::string> wrong(const diffusion::Problem& p, const ValidSums& in, const ValidSums& out,
                                 const std::string& where) {
  const double scale = in.valid > 0 ? std::max(std::abs(in.least), std::abs(in.most)) : 0;
  const bool finite = std::isfinite(out.sum) && std::isfinite(out.spread);
  if (out.valid < in.valid || !finite) refuse_overflow(p.precision, scale, where);
  if (in.valid != out.valid || in.places != out.places)
    return fmt::format("{} valid points where there were {}, or other ones", out.valid, in.valid);
  if (in.valid == 0) return std::nullopt;
  const double n = double(in.valid);
  const double allowed = diffusion::tolerance(p.precision) * (p.precision == runtime::Precision::f32
                                                                  ? at_least_normal<float>(scale)
                                                                  : at_least_normal<double>(scale));
  if (!(std::abs(out.sum - in.sum) <= n * allowed))
    return fmt::format("the mean of valid points changed from {:.9g} to {:.9g}", in.sum / n, out.sum / n);
  if (!(out.spread <= in.spread + std::sqrt(n) * allowed))
    return fmt::format("the spread of valid points grew from {:.9g} to {:.9g}", in.spread / std::sqrt(n),
                       out.spread / std::sqrt(n));
  const double mean = in.sum / n;
  if (!(std::max(out.most - mean, mean - out.least) <= in.spread + allowed))
    return fmt::format("values from {:.9g} to {:.9g}, beyond what this plane can become", out.least,
                       out.most);
  return std::nullopt;
}

template <class T>
std::vector<double> masked_solution(const diffusion::Problem& p, const T* plane) {
  const std::int64_t n = p.nx * p.ny;
  std::vector<double> phi(plane, plane + n), lap(static_cast<std::size_t>(n));
  const auto flow_into = [&](const std::vector<double>& f, std::int64_t j, std::int64_t i) {
    const double here = f[std::size_t(j * p.nx + i)];
    double total = 0;
    const std::int64_t neighbours[4][2] = {{j, i - 1}, {j, i + 1}, {j - 1, i}, {j + 1, i}};
    for (const auto& at : neighbours) {
      const double there = f[std::size_t(diffusion::wrap(at[0], p.ny) * p.nx + diffusion::wrap(at[1], p.nx))];
      if (!std::isnan(there)) total += there - here;
    }
    return total;
  };
  for (std::int64_t step = 0; step < p.steps; ++step) {
#pragma omp parallel for schedule(static)
    for (std::int64_t j = 0; j < p.ny; ++j)
      for (std::int64_t i = 0; i < p.nx; ++i) {
        const auto at = std::size_t(j * p.nx + i);
        lap[at] = std::isnan(phi[at]) ? phi[at] : flow_into(phi, j, i);
      }
#pragma omp parallel for schedule(static)
    for (std::int64_t j = 0; j < p.ny; ++j)
      for (std::int64_t i = 0; i < p.nx; ++i) {
        const auto at = std::size_t(j * p.nx + i);
        if (!std::isnan(phi[at])) phi[at] -= p.alpha * flow_into(lap, j, i);
      }
  }
  return phi;
}

template ValidSums valid_sums<float>(const diffusion::Problem&, const float*, int);
template ValidSums valid_sums<double>(const diffusion::Problem&, const double*, int);
template std::vector<double> masked_solution<float>(const diffusion::Problem&, const float*);
template std::vector<double> masked_solution<double>(const diffusion::Problem&, const double*);

}  // namespace parity::filter
