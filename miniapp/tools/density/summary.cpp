// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/error.hpp"
#include "runtime/parallel.hpp"

namespace parity::density {
namespace {

using runtime::UsageError;

/// The template tests for weights once, so that the loops vectorise.
template <bool weighted>
Summary summary_of_piece(const double* x, const double* w, std::int64_t begin, std::int64_t end) {
  const auto weight = [w](std::int64_t i) {
    if constexpr (weighted)
      return w[i];
    else
      return (void)w, (void)i, 1.0;
  };
  Summary s;
  s.range = range_of({x + begin, std::size_t(end - begin)});
  // Distances from a sample with weight: they are 0 for equal samples, whereas the mean is rounded.
  std::int64_t first = begin;
  while (first < end - 1 && !(weight(first) > 0)) ++first;
  const double pivot = x[first];
  double total = 0, squares = 0, sum = 0, variance = 0;
#pragma omp simd reduction(+ : total, squares, sum)
  for (std::int64_t i = begin; i < end; ++i) {
    total += weight(i);
    squares += weight(i) * weight(i);
    sum += weight(i) * (x[i] - pivot);
  }
  s.total = total;
  s.squares = squares;
  if (!(total > 0)) return s;
  const double mean = sum / total;
#pragma omp simd reduction(+ : variance)
  for (std::int64_t i = begin; i < end; ++i)
    variance += weight(i) * ((x[i] - pivot - mean) * (x[i] - pivot - mean));
  s.mean = pivot + mean;
  s.variance = variance / total;
  return s;
}

/// Joins means and variances by the method of Chan, Golub and LeVeque.
Summary joined(const Summary& a, const Summary& b) {
  Summary s;
  s.range = {std::min(a.range.least, b.range.least), std::max(a.range.greatest, b.range.greatest)};
  s.total = a.total + b.total;
  s.squares = a.squares + b.squares;
  if (!(s.total > 0)) return s;
  const double share = b.total / s.total, shift = b.mean - a.mean;
  s.mean = a.mean + share * shift;
  s.variance = (1 - share) * a.variance + share * b.variance + share * (1 - share) * shift * shift;
  return s;
}

}  // namespace

Range range_of(Values v) {
  double least = v[0], greatest = v[0];
#pragma omp parallel for simd reduction(min : least) reduction(max : greatest) schedule(static)
  for (std::size_t i = 0; i < v.size(); ++i) {
    least = v[i] < least ? v[i] : least;
    greatest = v[i] > greatest ? v[i] : greatest;
  }
  return {least, greatest};
}

std::vector<Summary> summaries_of_pieces(Values x, Values w) {
  const auto n = std::int64_t(x.size());
  std::vector<Summary> pieces(std::size_t((n + summary_piece - 1) / summary_piece));
  runtime::for_ranges(n, summary_piece, [&](std::int64_t begin, std::int64_t end) {
    pieces[std::size_t(begin / summary_piece)] = w.empty()
                                                     ? summary_of_piece<false>(x.data(), nullptr, begin, end)
                                                     : summary_of_piece<true>(x.data(), w.data(), begin, end);
  });
  return pieces;
}

Summary joined_in_order(const std::vector<Summary>& pieces) {
  Summary all = pieces.front();
  for (std::size_t p = 1; p < pieces.size(); ++p) all = joined(all, pieces[p]);
  return all;
}

Summary summary_of(Values x, Values w) { return joined_in_order(summaries_of_pieces(x, w)); }

void require_ordinary(const Range& range, const std::string& what) {
  const double worst = -range.least > range.greatest ? range.least : range.greatest;
  if (std::fabs(worst) > largest_number)
    throw UsageError(fmt::format("{}: {:g} is beyond {:g}, where densities overflow; remove it or scale all",
                                 what, worst, largest_number));
}

void settle_weights(Numbers& weights, const Range& range, std::int64_t before, const std::string& what) {
  const auto negative = std::find_if(weights.begin(), weights.end(), [](double w) { return w < 0; });
  if (range.least < 0 && negative != weights.end())
    throw UsageError(fmt::format("{}: weight {} is {}; weights are not negative", what,
                                 before + (negative - weights.begin()), *negative));
  if (range.greatest == 0)
    throw UsageError(fmt::format("{}: all weights are 0; at least one must be positive", what));
  if (range.greatest < 1e6 && range.greatest > 1e-3) return;
  const int exponent = std::ilogb(range.greatest);
  runtime::for_ranges(std::int64_t(weights.size()), summary_piece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      weights[std::size_t(i)] = std::ldexp(weights[std::size_t(i)], -exponent);
  });
}

}  // namespace parity::density
