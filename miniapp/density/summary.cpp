// SPDX-License-Identifier: BSD-3-Clause
#include "density/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/parallel.hpp"

namespace parity::density {
namespace {

using runtime::UsageError;

std::int64_t pieces_of(std::size_t n) { return (std::int64_t(n) + summary_piece - 1) / summary_piece; }

Range range_of_piece(const double* x, std::int64_t begin, std::int64_t end) {
  double least = x[begin], greatest = x[begin];
#pragma omp simd reduction(min : least) reduction(max : greatest)
  for (std::int64_t i = begin; i < end; ++i) {
    least = x[i] < least ? x[i] : least;
    greatest = x[i] > greatest ? x[i] : greatest;
  }
  return {least, greatest};
}

/// Weights are asked for once, so that the loops become vector instructions.
template <bool weighted>
Summary summary_of_piece(const double* x, const double* w, std::int64_t begin, std::int64_t end) {
  const auto weight = [w](std::int64_t i) {
    if constexpr (weighted)
      return w[i];
    else
      return (void)w, (void)i, 1.0;
  };
  Summary s;
  s.range = range_of_piece(x, begin, end);
  double total = 0, squares = 0, sum = 0, variance = 0;
#pragma omp simd reduction(+ : total, squares, sum)
  for (std::int64_t i = begin; i < end; ++i) {
    total += weight(i);
    squares += weight(i) * weight(i);
    sum += weight(i) * x[i];
  }
  s.total = total;
  s.squares = squares;
  if (!(total > 0)) return s;
  const double mean = sum / total;
#pragma omp simd reduction(+ : variance)
  for (std::int64_t i = begin; i < end; ++i) variance += weight(i) * ((x[i] - mean) * (x[i] - mean));
  s.mean = mean;
  s.variance = variance / total;
  return s;
}

Range joined(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

/// Chan, Golub and LeVeque's way to join means and variances.
Summary joined(const Summary& a, const Summary& b) {
  Summary s;
  s.range = joined(a.range, b.range);
  s.total = a.total + b.total;
  s.squares = a.squares + b.squares;
  if (!(s.total > 0)) return s;
  const double share = b.total / s.total, shift = b.mean - a.mean;
  s.mean = a.mean + share * shift;
  s.variance = (1 - share) * a.variance + share * b.variance + share * (1 - share) * shift * shift;
  return s;
}

template <class T, class OfPiece>
std::vector<T> of_pieces(std::size_t n, const OfPiece& of_piece) {
  std::vector<T> parts(static_cast<std::size_t>(pieces_of(n)));
  runtime::for_ranges(std::int64_t(n), summary_piece, [&](std::int64_t begin, std::int64_t end) {
    parts[std::size_t(begin / summary_piece)] = of_piece(begin, end);
  });
  return parts;
}

template <class T>
T joined_pieces(const std::vector<T>& parts) {
  T all = parts.front();
  for (std::size_t p = 1; p < parts.size(); ++p) all = joined(all, parts[p]);
  return all;
}

}  // namespace

Range range_of(Values v) {
  return joined_pieces(of_pieces<Range>(
      v.size(), [&v](std::int64_t begin, std::int64_t end) { return range_of_piece(v.data(), begin, end); }));
}

Summary summary_of(Values x, Values w) { return joined_pieces(summaries_of_pieces(x, w)); }

Summary joined_in_order(const std::vector<Summary>& pieces) { return joined_pieces(pieces); }

std::vector<Summary> summaries_of_pieces(Values x, Values w) {
  return of_pieces<Summary>(x.size(), [&](std::int64_t begin, std::int64_t end) {
    return w.empty() ? summary_of_piece<false>(x.data(), nullptr, begin, end)
                     : summary_of_piece<true>(x.data(), w.data(), begin, end);
  });
}

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
