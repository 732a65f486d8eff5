// SPDX-License-Identifier: BSD-3-Clause
#include "kde/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "kde/sorted_transform.hpp"

namespace parity::kde {

double compensated_sum(const std::vector<double>& x, const std::vector<double>& w, double q, double h) {
  constexpr std::int64_t piece = 65536;
  const auto n = std::int64_t(x.size());
  std::vector<double> sums(std::size_t((n + piece - 1) / piece));
#pragma omp parallel for schedule(static)
  for (std::int64_t c = 0; c < std::int64_t(sums.size()); ++c) {
    double sum = 0, lost = 0;
    for (std::int64_t j = c * piece; j < std::min(n, (c + 1) * piece); ++j) {
      const double r = (q - x[std::size_t(j)]) / h;
      const double term = (w.empty() ? 1.0 : w[std::size_t(j)]) * std::exp(-0.5 * r * r);
      const double next = sum + term;
      lost += std::fabs(sum) >= term ? (sum - next) + term : (term - next) + sum;
      sum = next;
    }
    sums[std::size_t(c)] = sum + lost;
  }
  double total = 0;
  for (const double s : sums) total += s;
  return total;
}

template <class T>
std::vector<double> reference_density(const Problem& p, const std::vector<T>& samples) {
  const std::vector<double> x(samples.begin(), samples.end());
  std::vector<double> density(x.size());
  sorted_transform(x, {}, x, p.bandwidth, 20, 10.0, density.data());
  // As many checked samples as 1e8 terms allow: the extremes, and some in between.
  const std::int64_t checks = std::clamp<std::int64_t>(100000000 / p.n, 3, 64);
  std::vector<std::int64_t> places = {std::min_element(x.begin(), x.end()) - x.begin(),
                                      std::max_element(x.begin(), x.end()) - x.begin()};
  for (std::int64_t c = 0; c < checks; ++c) places.push_back(c * p.n / checks);
  for (const std::int64_t i : places) {
    const double exact = compensated_sum(x, {}, x[std::size_t(i)], p.bandwidth);
    const double found = density[std::size_t(i)];
    if (!(std::fabs(found - exact) <= 1e-13 * exact))
      throw std::logic_error(
          fmt::format("the KDE reference is wrong at sample {}: {} instead of {}", i, found, exact));
  }
  for (double& f : density) f *= p.norm();
  return density;
}
template std::vector<double> reference_density<float>(const Problem&, const std::vector<float>&);
template std::vector<double> reference_density<double>(const Problem&, const std::vector<double>&);

template <class T>
std::vector<double> reference_as_printed(const Problem& p, const std::vector<T>& samples) {
  std::map<double, double> counts;
  for (const T x : samples) counts[double(int(x))] += 1;
  const double h = double(int(p.bandwidth));
  std::vector<double> sums(samples.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < p.n; ++i)
    for (const auto& [x, count] : counts) {
      const double r = (double(samples[std::size_t(i)]) - x) / h;
      sums[std::size_t(i)] += count * std::exp(-0.5 * r * r) / std::sqrt(2 * M_PI);
    }
  return sums;
}
template std::vector<double> reference_as_printed<float>(const Problem&, const std::vector<float>&);
template std::vector<double> reference_as_printed<double>(const Problem&, const std::vector<double>&);

double tolerance(const Problem& p, const Entry& e) {
  const bool single = p.precision == Precision::f32;
  const double rounding = std::ldexp(1.0, single ? -24 : -53);
  switch (e.accuracy) {
    case Accuracy::difference_first:
      return single ? 5e-7 : 1e-13;
    case Accuracy::prescaled:
      return single ? 4e-6 : 1e-13;
    case Accuracy::plain_sum:
    case Accuracy::something_else:
      return (single ? 4e-6 : 1e-13) + double(p.n) * rounding;
    case Accuracy::approximate:
      // The result is rounded to the data's precision, whatever the method's tolerance.
      return p.tolerance + 2 * rounding;
  }
  return 0;
}

template <class T>
harness::Verdict verify(const Problem& p, const Entry& e, const std::vector<double>& expected,
                        const std::vector<T>& density) {
  harness::Verdict v;
  v.tolerance = tolerance(p, e);
  v.reference = e.accuracy == Accuracy::something_else
                    ? "the original formula as printed, which is something else"
                    : "double-precision transform, checked against a compensated direct sum";
  const double largest = *std::max_element(expected.begin(), expected.end());
  double worst = 0;
  bool number = true;
#pragma omp parallel for reduction(max : worst) reduction(&& : number)
  for (std::int64_t i = 0; i < std::int64_t(expected.size()); ++i) {
    const double f = double(density[std::size_t(i)]), exact = expected[std::size_t(i)];
    if (std::isnan(exact) && std::isnan(f)) continue;  // the original's 0 / 0
    const double scale = e.accuracy == Accuracy::approximate      ? largest
                         : e.accuracy == Accuracy::something_else ? std::max(exact, 1.0)
                                                                  : std::max(exact, p.norm());
    number = number && std::isfinite(f);
    worst = std::max(worst, std::fabs(f - exact) / scale);
  }
  v.error = number ? worst : std::numeric_limits<double>::infinity();
  return v;
}
template harness::Verdict verify<float>(const Problem&, const Entry&, const std::vector<double>&,
                                        const std::vector<float>&);
template harness::Verdict verify<double>(const Problem&, const Entry&, const std::vector<double>&,
                                         const std::vector<double>&);

}  // namespace parity::kde
