// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-binned: linear binning onto a grid, convolution by FFT (FFTW, cuFFT), linear interpolation at
// the samples: O(n + G log G) with G growing as tolerance^(-1/2).
#include <fmt/format.h>

#include "cuda/fft.hpp"
#include "kde/binning.hpp"
#include "kde/convolution.hpp"
#include "kde/kokkos_samples.hpp"

namespace parity::kde {
namespace {

/// A value's two grid points and the share of the second.
struct GridPlace {
  std::int64_t first;
  double share;
};
struct PlaceOnGrid {
  double lower, inverse_spacing;
  KOKKOS_INLINE_FUNCTION GridPlace operator()(double x) const {
    const double at = (x - lower) * inverse_spacing;
    const auto first = std::int64_t(at);
    return {first, at - double(first)};
  }
};

template <class T>
class KokkosBinned : public KokkosSamples<T> {
 public:
  KokkosBinned(const Problem& p, const Tuning&) : KokkosSamples<T>(p) {}
  void load(const T* samples) override {
    KokkosSamples<T>::load(samples);
    const auto ends = std::minmax_element(samples, samples + this->p_.n);
    const BinningGrid grid =
        binning_grid(double(*ends.first), double(*ends.second), this->p_.bandwidth, this->p_.tolerance);
    if (grid.points == grid_.points && grid.lower == grid_.lower) return;
    grid_ = grid;
    counts_ = Array<long long>("fixed-point counts", std::size_t(grid.points));
    values_ = Array<double>("grid", std::size_t(grid.points));
  }
  void advance() override {
    bin();
    if (compat::exec_is_device())
      cuda::convolve(values_.data(), grid_.points, this->p_.bandwidth / grid_.spacing,
                     compat::stream_of(this->exec_));
    else
      convolve_on_host(values_.data(), grid_.points, this->p_.bandwidth / grid_.spacing);
    interpolate();
  }

  // Public because nvcc wants it so of functions that hold device lambdas. Fixed point: the same bits in any
  // order.
  void bin() const {
    constexpr double unit = double(std::int64_t(1) << 32);
    const T* const samples = this->samples_.data();
    long long* const counts = counts_.data();
    double* const values = values_.data();
    const PlaceOnGrid place{grid_.lower, 1 / grid_.spacing};
    Kokkos::deep_copy(this->exec_, counts_, 0LL);
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(
        "parity::kde::bin", Range(this->exec_, 0, this->p_.n), KOKKOS_LAMBDA(std::int64_t i) {
          const GridPlace at = place(double(samples[i]));
          const auto second = static_cast<long long>(at.share * unit);
          Kokkos::atomic_add(&counts[at.first], static_cast<long long>(unit) - second);
          Kokkos::atomic_add(&counts[at.first + 1], second);
        });
    Kokkos::parallel_for(
        "parity::kde::counts_to_double", Range(this->exec_, 0, grid_.points),
        KOKKOS_LAMBDA(std::int64_t i) { values[i] = double(counts[i]) / unit; });
    if (!compat::exec_is_device()) this->exec_.fence();
  }
  void interpolate() const {
    const T* const samples = this->samples_.data();
    T* const density = this->density_.data();
    const double* const values = values_.data();
    const PlaceOnGrid place{grid_.lower, 1 / grid_.spacing};
    const double norm = this->p_.norm();
    Kokkos::parallel_for(
        "parity::kde::interpolate",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(this->exec_, 0, this->p_.n),
        KOKKOS_LAMBDA(std::int64_t i) {
          const GridPlace at = place(double(samples[i]));
          density[i] = T(norm * (values[at.first] + at.share * (values[at.first + 1] - values[at.first])));
        });
  }

 private:
  BinningGrid grid_;
  Array<long long> counts_;
  Array<double> values_;
};

}  // namespace

Entry kokkos_binned() {
  Entry e = kokkos_entry("kokkos-binned", "linear binning and FFT to the problem's tolerance", "", "");
  e.accuracy = Accuracy::approximate;
  e.exponentials = Exponentials::none;
  e.direct = false;
  e.operations = 20;
  e.launches = 7;
  if (compat::exec_is_device()) e.unavailable = cuda::why_no_fft();
  e.extra_bytes = [](const Problem& p) {
    return 40.0 * double(binning_grid(0, span_of(p), p.bandwidth, p.tolerance).points);
  };
  e.refuse = [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    const BinningGrid grid = binning_grid(0, span_of(p), p.bandwidth, p.tolerance);
    if (grid.points > most_grid_points)
      return fmt::format("a tolerance of {} needs {:.1e} grid points, more than {}: the transform is better",
                         p.tolerance, double(grid.points), most_grid_points);
    return std::nullopt;
  };
  return with_factories<KokkosBinned>(e);
}

}  // namespace parity::kde
