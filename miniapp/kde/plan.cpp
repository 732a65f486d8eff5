// SPDX-License-Identifier: BSD-3-Clause
#include "kde/plan.hpp"

#include <limits>

namespace parity::kde {

std::vector<Problem> problems_of(study::Table& axes) {
  const auto sizes = axes.values<std::int64_t>("n", {4000}, 1, 1000000000);
  const auto bandwidths = axes.values<double>("bandwidth", {0.01}, 1e-12, 1e12);
  const auto distributions = axes.values<std::string>("distribution", {"lognormal"});
  const auto precisions = axes.precisions();
  const auto tolerances = axes.values<double>("tolerance", {1e-7}, 1e-12, 0.1);
  const auto seeds = axes.values<std::int64_t>("seed", {1}, 0, std::numeric_limits<std::int64_t>::max());
  axes.no_others();
  std::vector<Problem> problems;
  for (const study::Precision precision : precisions)
    for (const std::string& distribution : distributions)
      for (const double bandwidth : bandwidths)
        for (const std::int64_t n : sizes)
          for (const double tolerance : tolerances)
            for (const std::int64_t seed : seeds)
              problems.push_back(
                  {n, bandwidth, distribution_of(distribution), precision, tolerance, std::uint64_t(seed)});
  return problems;
}

}  // namespace parity::kde
