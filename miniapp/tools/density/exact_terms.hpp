// SPDX-License-Identifier: BSD-3-Clause
// Terms of the sums that check results, and these sums on a host: samples are sorted into cells, and each
// query visits only the cells near it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "host_device.hpp"
#include "runtime/parallel.hpp"
#include "tools/density/sums.hpp"

namespace parity::density {

/// exp(t) for t <= 0, in a form that a host vectorises; it shares nothing with the exponentials of
/// kde/gaussian.hpp, which it checks. Relative error below 1e-15; 0 below -708.
PARITY_INLINE double exp_of_negative(double t) {
#if defined(PARITY_ON_GPU)
  return exp(t);
#else
  const double bounded = t > -708.0 ? t : -708.0;
  constexpr double magic = 6755399441055744.0;  // its sum with a small k holds k in the lowest bits
  const double shifted = multiply_add(bounded, 1.4426950408889634, magic), k = shifted - magic;
  // ln 2 in two parts: the first times k is exact.
  const double r =
      multiply_add(k, -1.9082149292705877e-10, multiply_add(k, -0.693147180369123816490, bounded));
  // The Taylor series; |r| <= 0.347, so the omitted terms are below 5e-18.
  double p = 1.0 / 6227020800;
  p = multiply_add(p, r, 1.0 / 479001600);
  p = multiply_add(p, r, 1.0 / 39916800);
  p = multiply_add(p, r, 1.0 / 3628800);
  p = multiply_add(p, r, 1.0 / 362880);
  p = multiply_add(p, r, 1.0 / 40320);
  p = multiply_add(p, r, 1.0 / 5040);
  p = multiply_add(p, r, 1.0 / 720);
  p = multiply_add(p, r, 1.0 / 120);
  p = multiply_add(p, r, 1.0 / 24);
  p = multiply_add(p, r, 1.0 / 6);
  p = multiply_add(p, r, 0.5);
  p = multiply_add(p, r, 1.0);
  p = multiply_add(p, r, 1.0);
  std::uint64_t bits, exponent;
  std::memcpy(&bits, &p, sizeof bits);
  std::memcpy(&exponent, &shifted, sizeof exponent);
  bits += exponent << 52;
  std::memcpy(&p, &bits, sizeof p);
  return t > -708.0 ? p : 0.0;
#endif
}

/// k(distance / h). Divides for a compact kernel, so that its edge is where the methods have it.
template <Shape shape>
PARITY_INLINE double exact_term(double distance, double h, double inverse_h) {
  if constexpr (shape == Shape::gaussian) {
    const double u = distance * inverse_h;
    return exp_of_negative(-0.5 * u * u);
  } else {
    return Kernel{shape}(distance / h);
  }
}

/// Calls with(std::integral_constant of the shape).
template <class With>
auto with_shape(Shape shape, const With& with) {
  switch (shape) {
    case Shape::epanechnikov:
      return with(std::integral_constant<Shape, Shape::epanechnikov>());
    case Shape::biweight:
      return with(std::integral_constant<Shape, Shape::biweight>());
    case Shape::triangular:
      return with(std::integral_constant<Shape, Shape::triangular>());
    case Shape::box:
      return with(std::integral_constant<Shape, Shape::box>());
    case Shape::gaussian:
      break;
  }
  return with(std::integral_constant<Shape, Shape::gaussian>());
}

/// Distance up to which samples are summed: a Gaussian's term is below 3e-18 beyond it.
inline double near_distance(double h, const Kernel& kernel) { return (kernel.compact() ? 1.001 : 9) * h; }

/// Equal cells over all queries and their neighbourhoods; one cell at each end holds the samples beyond.
class Cells {
 public:
  Cells(Range queries, double near) : least_(queries.least - near) {
    constexpr double most_cells = 4096;
    const double span = queries.greatest + near - least_, width = std::max(near / 4, span / most_cells);
    inverse_width_ = 1 / width;
    count_ = int(span * inverse_width_) + 4;  // rounding moves no query into the last cell, which holds the
                                              // samples beyond
    // Rounding must not move a sample out of reach.
    reach_ = near + 1e-6 * width;
  }
  int count() const { return count_; }
  int of(double x) const {
    const double at = (x - least_) * inverse_width_ + 1;
    return int(at > 0 ? at < count_ - 1 ? at : count_ - 1 : 0);
  }
  /// The range of cells that cover q's neighbourhood: the first, and one past the last.
  std::pair<int, int> near(double q) const {
    return {std::max(of(q - reach_), 1), std::min(of(q + reach_) + 1, count_ - 1)};
  }

 private:
  double least_, inverse_width_, reach_;
  int count_;
};

/// The share of all pairs that exact_sums_near computes, estimated from evenly spaced samples.
inline double share_near(Values x, Values queries, double h, const Kernel& kernel) {
  const Cells cells(range_of(queries), near_distance(h, kernel));
  const std::size_t looks = std::min<std::size_t>(x.size(), 4096);
  std::vector<double> before(std::size_t(cells.count()) + 1);
  for (std::size_t k = 0; k < looks; ++k) before[std::size_t(cells.of(x[k * x.size() / looks])) + 1] += 1;
  std::partial_sum(before.begin(), before.end(), before.begin());
  double pairs = 0;
  for (const double q : queries) {
    const auto [first, last] = cells.near(q);
    pairs += std::max(before[std::size_t(last)] - before[std::size_t(first)], 0.0);
  }
  return pairs / double(looks) / double(queries.size());
}

/// A block of samples sorted by cell.
class SamplesByCell {
 public:
  SamplesByCell(const Cells& cells, const double* x, const double* w, std::int64_t n)
      : begin_(std::size_t(cells.count()) + 1), x_(std::size_t(n)), w_(w ? std::size_t(n) : 0) {
    std::vector<int, runtime::Untouched<int>> cell(static_cast<std::size_t>(n));
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) cell[std::size_t(j)] = cells.of(x[j]);
    for (std::int64_t j = 0; j < n; ++j) ++begin_[std::size_t(cell[std::size_t(j)]) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<int> next = begin_;
    for (std::int64_t j = 0; j < n; ++j) {
      const auto at = std::size_t(next[std::size_t(cell[std::size_t(j)])]++);
      x_[at] = x[j];
      if (w) w_[at] = w[j];
    }
  }
  template <Shape shape>
  double sum(double q, std::pair<int, int> cells, double h) const {
    const double inverse_h = 1 / h;
    const int first = begin_[std::size_t(cells.first)], last = begin_[std::size_t(cells.second)];
    double sum = 0;
    if (w_.empty()) {
      PARITY_LANES_SUM(sum)
      for (int j = first; j < last; ++j) sum += exact_term<shape>(q - x_[std::size_t(j)], h, inverse_h);
    } else {
      PARITY_LANES_SUM(sum)
      for (int j = first; j < last; ++j)
        sum += w_[std::size_t(j)] * exact_term<shape>(q - x_[std::size_t(j)], h, inverse_h);
    }
    return sum;
  }

 private:
  std::vector<int> begin_;
  Numbers x_, w_;
};

/// Sums over blocks of samples, added in order: the result does not depend on the number of threads.
template <Shape shape>
Numbers exact_sums_near(const SampleSet& s, Values queries, double h) {
  constexpr std::int64_t block = 1 << 17;
  const Cells cells(range_of(queries), near_distance(h, Kernel{shape}));
  const auto n = std::int64_t(s.x().size());
  const Values x = s.x(), w = s.w();
  std::vector<Numbers> parts(std::size_t((n + block - 1) / block));
  runtime::for_ranges(n, block, [&](std::int64_t begin, std::int64_t end) {
    const SamplesByCell some(cells, x.data() + begin, w.empty() ? nullptr : w.data() + begin, end - begin);
    Numbers& part = parts[std::size_t(begin / block)];
    part.resize(queries.size());
    for (std::size_t i = 0; i < part.size(); ++i)
      part[i] = some.template sum<shape>(queries[i], cells.near(queries[i]), h);
  });
  Numbers sums(queries.size(), 0.0);
  for (const Numbers& part : parts)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  return sums;
}

}  // namespace parity::density
