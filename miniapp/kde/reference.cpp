// SPDX-License-Identifier: BSD-3-Clause
#include "kde/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>

#include "kde/error_bound.hpp"
#include "kde/refusals.hpp"
#include "kde/sorted_transform.hpp"
#include "runtime/messages.hpp"

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
std::vector<double> reference_density(const Problem& p, const std::vector<T>& samples,
                                      const runtime::Share& queries) {
  const std::vector<double> x(samples.begin(), samples.end());
  std::vector<double> density(std::size_t(queries.size));
  if (queries.size == 0) return density;
  const Values q(x.data() + queries.first, density.size());
  sorted_transform(x, {}, q, p.bandwidth, 20, 10.0, density.data());
  // Checks as many samples as 1e8 terms allow: the extremes, and some in between.
  const std::int64_t checks = std::clamp<std::int64_t>(100000000 / p.n, 3, 64);
  std::vector<std::int64_t> places = {std::min_element(q.begin(), q.end()) - q.begin(),
                                      std::max_element(q.begin(), q.end()) - q.begin()};
  for (std::int64_t c = 0; c < checks; ++c) places.push_back(c * queries.size / checks);
  for (const std::int64_t i : places) {
    const double exact = compensated_sum(x, {}, q[std::size_t(i)], p.bandwidth);
    const double found = density[std::size_t(i)];
    if (!(std::fabs(found - exact) <= 1e-13 * exact))
      throw std::logic_error(
          fmt::format("the KDE reference is wrong at sample {}: {} instead of {}", i, found, exact));
  }
  // Does not use the problem's norm, which the variants use.
  const double norm = 0.39894228040143267794 / (double(p.n) * p.bandwidth);
  for (double& f : density) f *= norm;
  return density;
}
template std::vector<double> reference_density<float>(const Problem&, const std::vector<float>&,
                                                      const runtime::Share&);
template std::vector<double> reference_density<double>(const Problem&, const std::vector<double>&,
                                                       const runtime::Share&);

template <class T>
std::vector<double> reference_density(const Problem& p, const std::vector<T>& samples) {
  return reference_density(p, samples, {0, std::int64_t(samples.size())});
}
template std::vector<double> reference_density<float>(const Problem&, const std::vector<float>&);
template std::vector<double> reference_density<double>(const Problem&, const std::vector<double>&);

namespace {

/// Error bound for the problem's samples; cached, since each verdict of a block-width sweep needs it.
double plain_sum_error(const Problem& p) {
  static std::mutex guard;
  static std::map<std::string, double> known;
  const std::lock_guard<std::mutex> lock(guard);
  const auto [at, absent] = known.try_emplace(describe(p), 0);
  if (absent) {
    const auto error = [&p](const auto& samples) {
      const double crowded = double(samples[most_crowded(samples, p.bandwidth)]);
      return running_error(samples, crowded, p.bandwidth, unit_roundoff(p.precision));
    };
    at->second = plain_margin * (p.precision == Precision::f32 ? error(random_samples<float>(p))
                                                               : error(random_samples<double>(p)));
  }
  return at->second;
}

/// Additions of the tile sums in the data's precision; in double, plus those of the chunks' sums.
double chain_of(const Problem& p, const Entry& e) {
  constexpr int chunks = 64;
  return p.precision == Precision::f64 ? chain_additions<double> + chunks
         : e.chain > 0                 ? e.chain
                                       : double(chain_additions<float>);
}

}  // namespace

double tolerance(const Problem& p, const Entry& e) {
  const double n = double(p.n), unit = unit_roundoff(p.precision);
  // The last product and its rounding to the data's precision.
  const double result = reference_error + 2 * unit;
  // Half a unit of the fixed-point sums, 2^-40, for each tile of 64 samples or more.
  const double fixed = e.chain > 0 ? n * std::ldexp(1.0, -47) : 0;
  const double direct = result + fixed + terms_error(p.precision, n) +
                        flushed_error(p.precision, chain_of(p, e), n * e.flushes);
  switch (e.accuracy) {
    case Accuracy::difference_first:
      return direct;
    case Accuracy::plain_sum:
      return result + terms_error(p.precision, n) + 4 * unit + plain_sum_error(p);
    default:  // approximate
      // The method's own error is within the tolerance; its fixed-point sums have 61 bits for all samples.
      return result + p.tolerance + n * std::ldexp(1.0, -59);
  }
}

template <class T>
harness::Verdict verify(const Problem& p, const Entry& e, const std::vector<double>& expected,
                        const std::vector<T>& density) {
  harness::Verdict v;
  v.tolerance = tolerance(p, e);
  v.reference = "double-precision transform, checked against a compensated direct sum";
  const double largest =
      runtime::largest(expected.empty() ? 0.0 : *std::max_element(expected.begin(), expected.end()));
  double worst = 0;
  bool number = true;
#pragma omp parallel for reduction(max : worst) reduction(&& : number)
  for (std::int64_t i = 0; i < std::int64_t(expected.size()); ++i) {
    const double f = double(density[std::size_t(i)]), exact = expected[std::size_t(i)];
    const double scale = e.accuracy == Accuracy::approximate ? largest : std::max(exact, p.norm());
    number = number && std::isfinite(f);
    worst = std::max(worst, std::fabs(f - exact) / scale);
  }
  v.error = runtime::largest(number ? worst : std::numeric_limits<double>::infinity());
  return v;
}
template harness::Verdict verify<float>(const Problem&, const Entry&, const std::vector<double>&,
                                        const std::vector<float>&);
template harness::Verdict verify<double>(const Problem&, const Entry&, const std::vector<double>&,
                                         const std::vector<double>&);

}  // namespace parity::kde
