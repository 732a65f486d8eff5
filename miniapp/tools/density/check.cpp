// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/error.hpp"
#include "runtime/signals.hpp"
#include "tools/density/of_all_ranks.hpp"

namespace parity::density {

std::vector<std::size_t> checked_points(std::size_t m, double pairs_a_point) {
  const double affordable = most_checked_pairs() / std::max(pairs_a_point, 1.0);
  const auto count = std::min<std::size_t>(
      m, std::size_t(std::clamp(affordable, double(least_checks), double(wanted_checks))));
  std::vector<std::size_t> points(count);
  for (std::size_t c = 0; c < count; ++c) points[c] = c * m / count;
  return points;
}

Numbers exact_sums_of_all(const SampleSet& s, Values queries, double h, const Kernel& kernel) {
  if (!s.shared()) return exact_sums(s, queries, h, kernel);
  return sums_over_ranks(s.x().empty() ? Numbers(queries.size(), 0.0) : exact_sums(s, queries, h, kernel));
}

double pairs_of_all(const SampleSet& s, Values queries, double h, const Kernel& kernel) {
  const double mine = s.x().empty() ? 0.0 : pairs_to_check(s, queries, h, kernel);
  return s.shared() ? sums_over_ranks(Numbers{mine}).front() : mine;
}

Found find_error(const SampleSet& s, const std::vector<CheckedPoint>& points, Values values, double largest,
                 double h, const Kernel& kernel) {
  Numbers places;
  for (const CheckedPoint& p : points) places.insert(places.end(), p.places.begin(), p.places.end());
  const Numbers sums = exact_sums_of_all(s, places, h, kernel);
  std::vector<double> errors;
  std::size_t at = 0;
  for (const CheckedPoint& p : points) {
    double exact = 0;
    for (std::size_t k = 0; k < p.places.size(); ++k) exact += sums[at++];
    largest = std::max(largest, exact);
    errors.push_back(std::fabs(values[p.point] - exact));
  }
  Found found{0, largest, std::int64_t(points.size())};
  for (const double error : errors)
    if (!(error <= found.error) && !std::isnan(found.error)) found.error = error;
  if (largest > 0) found.error /= largest;
  return found;
}

Found relative_to_samples(Found found, const SampleSet& s, double h, const Kernel& kernel) {
  const std::int64_t n = s.count(), count = std::min(n, least_checks);
  Numbers places;
  for (std::int64_t c = 0; c < count; ++c)
    if (const std::int64_t i = c * n / count - s.before(); i >= 0 && i < std::int64_t(s.x().size()))
      places.push_back(s.x()[std::size_t(i)]);
  if (s.shared()) places = of_all_ranks(places);
  const Numbers sums = exact_sums_of_all(s, places, h, kernel);
  const double most = *std::max_element(sums.begin(), sums.end());
  if (!(most > found.largest)) return found;
  found.error *= found.largest > 0 ? found.largest / most : 1 / most;
  found.largest = most;
  return found;
}

void require_within(const Found& found, double guaranteed) {
  if (!(found.error <= guaranteed))
    throw runtime::Error(runtime::exit_check_failed,
                         fmt::format("a checked density is wrong by {:.1e} where {:.1e} is guaranteed; {}",
                                     found.error, guaranteed, runtime::what_stays()));
}

}  // namespace parity::density
