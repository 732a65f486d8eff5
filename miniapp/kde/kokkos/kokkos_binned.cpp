// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-binned: linear binning onto a grid, convolution by FFT (FFTW, cuFFT), linear interpolation at
// the samples: O(n + G log G) with G growing as tolerance^(-1/2).
#include <fmt/format.h>

#include "kde/kokkos/binning.hpp"

namespace parity::kde {
namespace {

template <class T>
struct BinnedSum {
  Samples<T> s;
  std::unique_ptr<LinearBinning<T>> binning;
  BinnedSum(const Problem& p, const Tuning&) : s(p) {}
  void operator()() const {
    binning->run(s.data(), nullptr, s.p.n, double(s.p.n), s.data(), s.p.n, s.density(), s.p.norm());
  }
};

/// The grid follows from the samples.
template <class T>
class Binned : public Summed<T, BinnedSum<T>> {
 public:
  using Summed<T, BinnedSum<T>>::Summed;
  void load(const T* samples) override {
    const Problem& p = this->sum_.s.p;
    auto& binning = this->sum_.binning;
    this->sum_.s.load(samples);
    const auto ends = std::minmax_element(samples, samples + p.n);
    const BinningGrid grid =
        binning_grid(double(*ends.first), double(*ends.second), p.bandwidth, p.tolerance);
    if (!binning || grid.points != binning->grid().points || grid.lower != binning->grid().lower)
      binning = std::make_unique<LinearBinning<T>>(this->sum_.s.exec, grid, p.bandwidth);
  }
};

}  // namespace

Entry kokkos_binned() {
  Entry e = kokkos_entry("kokkos-binned", "linear binning and FFT to the problem's tolerance", "", "");
  e.accuracy = Accuracy::approximate;
  e.exponentials = Exponentials::none;
  e.direct = false;
  e.operations = 20;
  e.launches = 7;
  if (compat::exec_is_device()) e.unavailable = runtime::why_no_fft();
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
  return with_factories<Binned>(e);
}

}  // namespace parity::kde
