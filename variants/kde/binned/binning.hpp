// SPDX-License-Identifier: BSD-3-Clause
// Linear binning onto a grid, convolution by FFT (FFTW, cuFFT), and linear interpolation at the queries.
#pragma once
#include "backend/kokkos/kde/samples.hpp"
#include "kde/binning.hpp"
#include "runtime/fft.hpp"

namespace parity::kde {

/// A value's two neighbouring grid points, first and first + 1, and the share of the second.
struct GridPlace {
  std::int64_t first;
  double share;
};
struct PlaceOnGrid {
  double lower, inverse_spacing;
  std::int64_t points;
  /// Values outside the grid take the outermost points; the caller keeps samples within the grid.
  KOKKOS_INLINE_FUNCTION GridPlace operator()(double x) const {
    const double at = (x - lower) * inverse_spacing;
    if (!(at >= 0)) return {0, 0.0};
    if (at >= double(points - 1)) return {points - 2, 1.0};
    const auto first = static_cast<std::int64_t>(at);
    return {first, at - double(first)};
  }
};

template <class T>
class LinearBinning {
 public:
  LinearBinning(const Exec& exec, const BinningGrid& grid, double h)
      : exec_(exec),
        counts_("fixed-point counts", std::size_t(grid.points)),
        values_("grid", std::size_t(grid.points)) {
    place(grid, h);
  }
  const BinningGrid& grid() const { return grid_; }
  /// Replaces the grid by another of equal size.
  void place(const BinningGrid& grid, double h) {
    grid_ = grid;
    ratio_ = h / grid.spacing;
    place_ = {grid.lower, 1 / grid.spacing, grid.points};
  }

  /// Computes density[i] = norm * sum_j w_j exp(-(q_i - x_j)^2 / (2 h^2)); w_j = 1 if weights is null.
  void run(const T* samples, const T* weights, std::int64_t n, double total_weight, const T* queries,
           std::int64_t m, T* density, double norm) const {
    prepare(samples, weights, n, total_weight);
    interpolate(queries, m, density, norm);
  }
  /// Computes the convolved grid, which is all that depends on the samples.
  void prepare(const T* samples, const T* weights, std::int64_t n, double total_weight) const {
    bin(samples, weights, n, total_weight);
    if (compat::exec_is_device())
      runtime::convolve(values_.data(), grid_.points, ratio_, compat::stream_of(exec_));
    else
      convolve_on_host(values_.data(), grid_.points, ratio_);
  }

  // Public, because nvcc requires it of functions with device lambdas. It sums in fixed point: bitwise
  // repeatable in any order.
  void bin(const T* samples, const T* weights, std::int64_t n, double total_weight) const {
    const double unit = std::exp2(std::floor(61 - std::log2(total_weight)));
    compat::AtomicSum* const counts = counts_.data();
    double* const values = values_.data();
    const PlaceOnGrid place = place_;
    Kokkos::deep_copy(exec_, counts_, compat::AtomicSum(0));
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(
        "parity::kde::bin", Range(exec_, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
          const GridPlace at = place(double(samples[i]));
          const double weight = (weights ? double(weights[i]) : 1.0) * unit;
          const auto second = static_cast<compat::AtomicSum>(at.share * weight);
          Kokkos::atomic_add(&counts[at.first], static_cast<compat::AtomicSum>(weight) - second);
          Kokkos::atomic_add(&counts[at.first + 1], second);
        });
    Kokkos::parallel_for(
        "parity::kde::counts_to_double", Range(exec_, 0, grid_.points),
        KOKKOS_LAMBDA(std::int64_t i) { values[i] = double(counts[i]) / unit; });
    if (!compat::exec_is_device()) exec_.fence();
  }
  void interpolate(const T* queries, std::int64_t m, T* density, double norm) const {
    const double* const values = values_.data();
    const PlaceOnGrid place = place_;
    Kokkos::parallel_for(
        "parity::kde::interpolate", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, m),
        KOKKOS_LAMBDA(std::int64_t i) {
          const GridPlace at = place(double(queries[i]));
          density[i] = T(norm * (values[at.first] + at.share * (values[at.first + 1] - values[at.first])));
        });
  }

 private:
  Exec exec_;
  BinningGrid grid_;
  double ratio_ = 1;
  PlaceOnGrid place_ = {};
  Array<compat::AtomicSum> counts_;
  Array<double> values_;
};

}  // namespace parity::kde
