// SPDX-License-Identifier: BSD-3-Clause
// Direct sums over the ascending samples near a query.
#pragma once
#include "backend/kokkos/kde/samples.hpp"

namespace parity::density {

/// Index of the first of n ascending values that is not below x.
PARITY_INLINE std::int64_t first_not_below(const double* values, std::int64_t n, double x) {
  std::int64_t low = 0, high = n;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (values[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Index of the first of n ascending values that is above x.
PARITY_INLINE std::int64_t first_above(const double* values, std::int64_t n, double x) {
  std::int64_t low = 0, high = n;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (values[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// The window sum of each query.
struct WindowSums {
  const double *sorted, *weights;  ///< weights: in the samples' order; null: every sample has weight 1
  std::int64_t n;
  const double* queries;
  kde::PolynomialTerm<double> polynomial;
  double reach;  ///< cutoff times bandwidth
  double* sums;

  KOKKOS_INLINE_FUNCTION double weight(std::int64_t j) const { return weights ? weights[j] : 1.0; }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const double q = queries[i];
    // Far from 0, q + reach may round to q: the query's own value belongs to its window.
    const std::int64_t begin = first_not_below(sorted, n, q - reach), end = first_above(sorted, n, q + reach);
    // Sorted terms rise and fall, so rounding would bias one long running sum: use eight short ones.
    constexpr int lanes = 8, block = 16 * lanes;
    double total = 0;
    for (std::int64_t first = begin; first < end; first += block) {
      double sum[lanes];
      PARITY_LANES
      for (int l = 0; l < lanes; ++l) sum[l] = 0;
      const std::int64_t last = first + block < end ? first + block : end;
      std::int64_t j = first;
      for (; j + lanes <= last; j += lanes) {
        PARITY_LANES
        for (int l = 0; l < lanes; ++l) sum[l] += weight(j + l) * polynomial.value(0, q, sorted[j + l]);
      }
      for (; j < last; ++j) total += weight(j) * polynomial.value(0, q, sorted[j]);
      PARITY_UNROLL
      for (int l = 0; l < lanes; ++l) total += sum[l];
    }
    sums[i] = total;
  }
};

}  // namespace parity::density
