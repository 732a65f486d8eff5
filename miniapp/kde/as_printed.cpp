// SPDX-License-Identifier: BSD-3-Clause
#include "kde/as_printed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kde/error_bound.hpp"

namespace parity::kde {
namespace {

constexpr std::int64_t checked_samples = 4000;
constexpr double checked_bandwidth = 2;

double peak() { return 1 / std::sqrt(2 * M_PI); }

}  // namespace

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
      sums[std::size_t(i)] += count * std::exp(-0.5 * r * r) * peak();
    }
  return sums;
}

double tolerance_as_printed(const Problem& p) {
  return terms_error(p.precision, double(p.n)) + unit_roundoff(p.precision) * (double(p.n) + 4);
}

template <class T>
harness::Verdict verify_as_printed(const Problem& p, const std::vector<double>& expected,
                                   const std::vector<T>& density) {
  double worst = 0;
#pragma omp parallel for reduction(max : worst)
  for (std::int64_t i = 0; i < std::int64_t(expected.size()); ++i) {
    const double f = double(density[std::size_t(i)]), exact = expected[std::size_t(i)];
    if (std::isnan(exact) && std::isnan(f)) continue;  // the original's 0 / 0
    const bool written = std::isfinite(f) && !(f == 0 && std::signbit(f));
    worst = std::max(worst, written ? std::fabs(f - exact) / std::max(exact, peak())
                                    : std::numeric_limits<double>::infinity());
  }
  return {worst, tolerance_as_printed(p), "the original formula as printed, which is something else"};
}

Problem checked_as_printed(const Problem& p) {
  Problem checked = p;
  checked.n = std::min(p.n, checked_samples);
  checked.bandwidth = checked_bandwidth;
  return checked;
}

template <class T>
harness::Verdict verify_by_second_run(const Problem& p, const Entry& e, const Tuning& tuning,
                                      const harness::Verdict& first) {
  const Problem checked = checked_as_printed(p);
  const auto samples = random_samples<T>(checked);
  std::vector<T> density(samples.size(), std::numeric_limits<T>::quiet_NaN());
  const auto variant = e.make<T>(checked, tuning);
  variant->load(samples.data());
  variant->advance();
  variant->synchronise();
  variant->store(density.data());
  harness::Verdict second = verify_as_printed(checked, reference_as_printed(checked, samples), density);
  second.reference = fmt::format(
      "the original formula as printed, at bandwidth {} on {} samples: at {} it gives zeros, of which only "
      "that each was written is checked",
      checked.bandwidth, checked.n, p.bandwidth);
  if (!first.passed()) second.error = std::numeric_limits<double>::infinity();
  return second;
}

template std::vector<double> reference_as_printed<float>(const Problem&, const std::vector<float>&);
template std::vector<double> reference_as_printed<double>(const Problem&, const std::vector<double>&);
template harness::Verdict verify_as_printed<float>(const Problem&, const std::vector<double>&,
                                                   const std::vector<float>&);
template harness::Verdict verify_as_printed<double>(const Problem&, const std::vector<double>&,
                                                    const std::vector<double>&);
template harness::Verdict verify_by_second_run<float>(const Problem&, const Entry&, const Tuning&,
                                                      const harness::Verdict&);
template harness::Verdict verify_by_second_run<double>(const Problem&, const Entry&, const Tuning&,
                                                       const harness::Verdict&);

}  // namespace parity::kde
