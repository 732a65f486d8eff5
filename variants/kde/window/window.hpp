// SPDX-License-Identifier: BSD-3-Clause
// Samples in ascending order with the places they came from, and direct sums over the samples near a query.
#pragma once
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde {

/// Sorts n values where the execution space can reach them; places: the index each came from. Defined in
/// backend/kokkos/kde/sort.cpp.
template <class T>
void sort_with_places(const Exec& exec, const T* values, std::int64_t n, const Array<T>& sorted,
                      const Array<int>& places);

/// The first of n ascending values that is not below x.
template <class T>
PARITY_INLINE std::int64_t first_not_below(const T* values, std::int64_t n, T x) {
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

/// The first of n ascending values that is above x.
template <class T>
PARITY_INLINE std::int64_t first_above(const T* values, std::int64_t n, T x) {
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

/// The window sum of one query over ascending samples.
template <class T>
struct WindowFunctor {
  const T* sorted;
  const T* weights;  ///< in the samples' order; null: every sample counts once
  std::int64_t n;
  const T* queries;
  const int* places;  ///< where the query's density goes; null: its own place
  PolynomialTerm<T> polynomial;
  T reach;  ///< cutoff times bandwidth
  T* density;
  double norm;
  KOKKOS_INLINE_FUNCTION T term(T q, T x) const {
    if constexpr (sizeof(T) == 4)
      return exp2_minus_square_hardware((q - x) * polynomial.scale);
    else
      return polynomial.value(0, q, x);
  }
  KOKKOS_INLINE_FUNCTION T weight(std::int64_t j) const { return weights ? weights[j] : T(1); }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const T q = queries[i];
    // Far from 0, q + reach may round to q: the query's own value belongs to its window.
    const std::int64_t begin = first_not_below(sorted, n, q - reach), end = first_above(sorted, n, q + reach);
    // Sorted terms rise and fall, so that a long running sum would round one way: eight short ones.
    constexpr int lanes = 8, block = 16 * lanes;
    double total = 0;
    for (std::int64_t first = begin; first < end; first += block) {
      T sum[lanes];
      PARITY_LANES
      for (int l = 0; l < lanes; ++l) sum[l] = 0;
      const std::int64_t last = first + block < end ? first + block : end;
      std::int64_t j = first;
      for (; j + lanes <= last; j += lanes) {
        PARITY_LANES
        for (int l = 0; l < lanes; ++l) sum[l] += weight(j + l) * term(q, sorted[j + l]);
      }
      for (; j < last; ++j) total += double(weight(j) * term(q, sorted[j]));
      PARITY_UNROLL
      for (int l = 0; l < lanes; ++l) total += double(sum[l]);
    }
    density[places ? places[i] : i] = T(total * norm);
  }
};

}  // namespace parity::kde
