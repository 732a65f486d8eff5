// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/plan.hpp"

#include <array>
#include <limits>

namespace parity::diffusion {
namespace {

std::vector<std::array<std::int64_t, 3>> sizes_of(study::Table& axes) {
  const toml::node* n = axes.find("size");
  if (!n) return {{128, 128, 64}};
  const toml::array* list = n->as_array();
  if (!list) axes.fail("size", "must be a list of [nx, ny, nz]");
  if (list->empty()) axes.fail("size", "is empty; give at least one [nx, ny, nz]");
  std::vector<std::array<std::int64_t, 3>> sizes;
  for (const toml::node& item : *list) {
    const toml::array* size = item.as_array();
    if (!size || size->size() != 3) axes.fail("size", "must be a list of [nx, ny, nz]");
    std::array<std::int64_t, 3> s{};
    for (std::size_t d = 0; d < 3; ++d) s[d] = axes.checked<std::int64_t>("size", *size->get(d), 1, 1 << 30);
    sizes.push_back(s);
  }
  return sizes;
}

}  // namespace

std::vector<Problem> problems_of(study::Table& axes) {
  const auto sizes = sizes_of(axes);
  const auto steps = axes.values<std::int64_t>("steps", {1024}, 1, 1000000000);
  const auto alphas = axes.values<double>("alpha", {stability_limit}, 0, stability_limit);
  const auto halos = axes.values<std::int64_t>("halo", {2}, 2, 1024);
  const auto precisions = axes.precisions();
  const auto seeds = axes.values<std::int64_t>("seed", {1}, 0, std::numeric_limits<std::int64_t>::max());
  axes.no_others();
  std::vector<Problem> problems;
  for (const study::Precision precision : precisions)
    for (const auto& s : sizes)
      for (const std::int64_t n : steps)
        for (const double alpha : alphas)
          for (const std::int64_t halo : halos)
            for (const std::int64_t seed : seeds)
              problems.push_back({s[0], s[1], s[2], n, alpha, halo, precision, std::uint64_t(seed)});
  return problems;
}

}  // namespace parity::diffusion
