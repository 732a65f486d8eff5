// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/problem.hpp"

#include <fmt/format.h>

#include <cmath>

#include "study/error.hpp"

namespace parity::diffusion {

void validate(const Problem& p) {
  using study::UsageError;
  const auto positive = [](const char* option, std::int64_t value, std::int64_t largest) {
    if (value < 1 || value > largest)
      throw UsageError(fmt::format("{} is {}: give a whole number from 1 to {}", option, value, largest));
  };
  // 2^30 a side keeps every index of a row or column in 32 bits, halo included.
  positive("--nx", p.nx, 1 << 30);
  positive("--ny", p.ny, 1 << 30);
  positive("--nz", p.nz, 1 << 30);
  positive("--steps", p.steps, 1000000000);
  if (p.halo < 2 || p.halo > 1024)
    throw UsageError(
        fmt::format("--halo is {}: the 13-point stencil reads two points away; give 2 to 1024", p.halo));
  if (p.nx < p.halo || p.ny < p.halo)
    throw UsageError(
        fmt::format("a plane of {} x {} points (nx x ny) is smaller than its halo of {}: nx and ny must be "
                    "at least {}",
                    p.nx, p.ny, p.halo, p.halo));
  if (!(p.alpha > 0) || p.alpha > stability_limit)
    throw UsageError(
        fmt::format("--alpha is {}: give a number above 0 and at most 0.03125 (1/32), where the filter is "
                    "stable",
                    p.alpha));
  const double padded = double(p.pitch()) * double(p.rows()) * double(p.nz);
  if (padded > 1e15)
    throw UsageError(
        fmt::format("a field of {:.2g} points does not fit any memory: reduce nx, ny or nz", padded));
}

std::string describe(const Problem& p) {
  return fmt::format("{}x{}x{} N={} {}", p.nx, p.ny, p.nz, p.steps, study::name(p.precision));
}

double random_value(std::uint64_t seed, std::uint64_t k) {
  // SplitMix64 (Steele, Lea, Flood 2014) of a counter: any part of the field can be made on its own.
  std::uint64_t z = seed * 0xda942042e4dd58b5ULL + (k + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return double(z >> 11) * 0x1p-52 - 1.0;
}

template <class T>
std::vector<T> random_field(const Problem& problem) {
  const std::int64_t n = problem.points();
  std::vector<T> field(static_cast<std::size_t>(n));
#pragma omp parallel for
  for (std::int64_t k = 0; k < n; ++k)
    field[std::size_t(k)] = T(random_value(problem.seed, std::uint64_t(k)));
  return field;
}
template std::vector<float> random_field<float>(const Problem&);
template std::vector<double> random_field<double>(const Problem&);

}  // namespace parity::diffusion
