// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-binned: linear binning onto a grid, convolution by FFT (FFTW, cuFFT), linear interpolation at
// the samples: O(n + G log G) with G growing as tolerance^(-1/2).
#include <fmt/format.h>

#include "kde/kokkos_binning.hpp"

namespace parity::kde {
namespace {

template <class T>
class KokkosBinned : public KokkosSamples<T> {
 public:
  KokkosBinned(const Problem& p, const Tuning&) : KokkosSamples<T>(p) {}
  void load(const T* samples) override {
    KokkosSamples<T>::load(samples);
    const auto ends = std::minmax_element(samples, samples + this->p_.n);
    const BinningGrid grid =
        binning_grid(double(*ends.first), double(*ends.second), this->p_.bandwidth, this->p_.tolerance);
    if (!binning_ || grid.points != binning_->grid().points || grid.lower != binning_->grid().lower)
      binning_ = std::make_unique<LinearBinning<T>>(this->exec_, grid, this->p_.bandwidth);
  }
  void advance() override {
    const T* const x = this->samples_.data();
    const std::int64_t n = this->p_.n;
    binning_->run(x, nullptr, n, double(n), x, n, this->density_.data(), this->p_.norm());
  }

 private:
  std::unique_ptr<LinearBinning<T>> binning_;
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
