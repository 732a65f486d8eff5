// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/problem.hpp"

#include <fmt/format.h>

namespace parity::diffusion {

std::string describe(const Problem& p) {
  std::string text = fmt::format("{}x{}x{} N={} {}", p.nx, p.ny, p.nz, p.steps, name(p.precision));
  const Problem standard;
  if (p.alpha != standard.alpha) text += fmt::format(" alpha={}", p.alpha);
  if (p.halo != standard.halo) text += fmt::format(" halo={}", p.halo);
  if (p.seed != standard.seed) text += fmt::format(" seed={}", p.seed);
  if (p.ranks() > 1) text += fmt::format(" ranks={}x{}x{}", p.ranks_x, p.ranks_y, p.ranks_z);
  if (p.messages != standard.messages)
    text += fmt::format(" messages={}", runtime::transport_words()[std::size_t(p.messages)]);
  return text;
}

double random_value(std::uint64_t seed, std::uint64_t k) {
  // SplitMix64 (Steele, Lea, Flood 2014) of a counter: a rank can compute any part of the field alone.
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
