// SPDX-License-Identifier: BSD-3-Clause
// Terms of the sums that results are checked with, and those sums over near samples for a host: each sample
// meets only the queries near it.
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "density/exponential.hpp"
#include "density/sums.hpp"
#include "runtime/parallel.hpp"

namespace parity::density {

/// k(distance / h). A compact kernel's edge must be where the methods have it: by a division.
template <Shape shape>
PARITY_INLINE double exact_term(double distance, double h, double inverse_h) {
  if constexpr (shape == Shape::gaussian) {
    const double u = distance * inverse_h;
    return exp_of_negative(-0.5 * u * u);
  } else {
    return Kernel{shape}(distance / h);
  }
}

/// with(std::integral_constant of the shape).
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

/// How far a sample is looked for: a Gaussian's term is below 3e-18 beyond.
inline double near_distance(double h, const Kernel& kernel) { return (kernel.compact() ? 1.001 : 9) * h; }

/// Ascending queries by cells: those near any place of a cell are neighbours.
class QueriesByCell {
 public:
  QueriesByCell(Values sorted, double near) : least_(sorted[0] - near) {
    constexpr double most_cells = 8192;
    const double span = sorted[sorted.size() - 1] + near - least_;
    width_ = std::max(near / 2, span / most_cells);
    const auto cells = std::size_t(span / width_) + 1;
    first_.resize(cells);
    last_.resize(cells);
    for (std::size_t c = 0; c < cells; ++c) {
      const double begin = least_ + double(c) * width_, margin = 1.001 * near + 0.001 * width_;
      first_[c] = int(std::lower_bound(sorted.begin(), sorted.end(), begin - margin) - sorted.begin());
      last_[c] =
          int(std::upper_bound(sorted.begin(), sorted.end(), begin + width_ + margin) - sorted.begin());
    }
  }
  /// The queries near x, as a range.
  std::pair<int, int> near(double x) const {
    const double at = (x - least_) / width_;
    if (!(at >= 0 && at < double(first_.size()))) return {0, 0};
    const auto c = std::size_t(at);
    return {first_[c], last_[c]};
  }

 private:
  double least_, width_;
  std::vector<int> first_, last_;
};

inline Numbers ascending(Values values) {
  Numbers sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// The share of all pairs that exact_sums_near computes, from some samples evenly through all.
inline double share_near(Values x, Values queries, double h, const Kernel& kernel) {
  const Numbers sorted = ascending(queries);
  const QueriesByCell cells(sorted, near_distance(h, kernel));
  const std::size_t looks = std::min<std::size_t>(x.size(), 4096);
  double pairs = 0;
  for (std::size_t k = 0; k < looks; ++k) {
    const auto [first, last] = cells.near(x[k * x.size() / looks]);
    pairs += last - first;
  }
  return pairs / double(looks) / double(queries.size());
}

template <Shape shape>
Numbers exact_sums_near(const SampleSet& s, Values queries, double h) {
  std::vector<std::size_t> order(queries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return queries[a] < queries[b]; });
  const Numbers sorted = ascending(queries);
  const QueriesByCell cells(sorted, near_distance(h, Kernel{shape}));
  // Parts of all samples, each with sums of its own that are added in order: the same bits for any number of
  // threads. A part is read in pieces, between which a signal ends it.
  constexpr std::int64_t parts = 256;
  const auto n = std::int64_t(s.x().size());
  const double inverse_h = 1 / h;
  std::vector<Numbers> sums(parts);
  const Values x = s.x(), w = s.w();
  runtime::for_pieces(parts, [&](std::int64_t part) {
    Numbers& own = sums[std::size_t(part)];
    own.assign(sorted.size(), 0.0);
    double* const to = own.data();
    const double* const q = sorted.data();
    for (std::int64_t j = n * part / parts; j < n * (part + 1) / parts; ++j) {
      if ((j & 0xfffff) == 0) runtime::stop_if_interrupted();
      const double sample = x[std::size_t(j)], weight = w.empty() ? 1.0 : w[std::size_t(j)];
      const auto [first, last] = cells.near(sample);
#pragma omp simd
      for (int i = first; i < last; ++i) to[i] += weight * exact_term<shape>(q[i] - sample, h, inverse_h);
    }
  });
  Numbers result(queries.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    double sum = 0;
    for (const Numbers& part : sums) sum += part[i];
    result[order[i]] = sum;
  }
  return result;
}

}  // namespace parity::density
