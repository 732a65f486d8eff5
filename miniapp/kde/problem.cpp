// SPDX-License-Identifier: BSD-3-Clause
#include "kde/problem.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parity::kde {
namespace {

constexpr const char* names[] = {"lognormal", "normal", "bimodal", "uniform", "clustered"};

std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Independent uniform deviates in (0, 1), three per sample.
struct Deviates {
  std::uint64_t key;
  double uniform(std::int64_t sample, int which) const {
    return (double(mixed(key + 4 * std::uint64_t(sample) + std::uint64_t(which)) >> 11) + 0.5) * 0x1p-53;
  }
  double normal(std::int64_t sample) const {
    return std::sqrt(-2 * std::log(uniform(sample, 0))) * std::cos(2 * M_PI * uniform(sample, 1));
  }
};

double sample_of(Distribution d, const Deviates& r, std::int64_t i) {
  switch (d) {
    case Distribution::lognormal:
      return std::exp(r.normal(i));
    case Distribution::normal:
      return r.normal(i);
    case Distribution::bimodal:
      return (r.uniform(i, 2) < 0.7 ? -2 : 3) + 0.5 * r.normal(i);
    case Distribution::uniform:
      return r.uniform(i, 0);
    case Distribution::clustered: {
      const double u = r.uniform(i, 2);
      if (u < 0.001) return 1e6 * (2 * r.uniform(i, 0) - 1);
      const double cluster = std::floor(32 * (u - 0.001) / 0.999);
      return (cluster + 0.5) / 32 + 0.001 * r.normal(i);
    }
  }
  return 0;
}

}  // namespace

const char* name(Distribution d) { return names[int(d)]; }

std::vector<std::string> distribution_names() { return {std::begin(names), std::end(names)}; }

double Problem::norm() const { return 1.0 / (double(n) * bandwidth * std::sqrt(2 * M_PI)); }

std::string describe(const Problem& p) {
  std::string text =
      fmt::format("n={} h={} {} {}", p.n, p.bandwidth, name(p.distribution), name(p.precision));
  const Problem standard;
  if (p.tolerance != standard.tolerance) text += fmt::format(" tolerance={}", p.tolerance);
  if (p.ranks > 1) text += fmt::format(" ranks={}", p.ranks);
  if (p.seed != standard.seed) text += fmt::format(" seed={}", p.seed);
  return text;
}

template <class T>
std::vector<T> random_samples(const Problem& p) {
  std::vector<T> x(static_cast<std::size_t>(p.n));
  const Deviates deviates{mixed(p.seed)};
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < p.n; ++i) x[std::size_t(i)] = T(sample_of(p.distribution, deviates, i));
  return x;
}
template std::vector<float> random_samples<float>(const Problem&);
template std::vector<double> random_samples<double>(const Problem&);

}  // namespace parity::kde
