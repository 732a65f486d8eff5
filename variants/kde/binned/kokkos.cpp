// SPDX-License-Identifier: BSD-3-Clause
// binned, Kokkos: bins the samples linearly onto a grid, convolves it by FFT (FFTW, cuFFT) and interpolates
// linearly at the samples: O(n + G log G) with G growing as tolerance^(-1/2).
#include "backend/kokkos/kde/ends.hpp"
#include "binning.hpp"
#include "runtime/text.hpp"

namespace parity::kde::binned {
namespace {

/// The time includes all work from samples to densities: their range, grid, counts, convolution.
template <class T>
struct BinnedSum {
  Samples<T> s;
  std::unique_ptr<LinearBinning<T>> binning;
  BinnedSum(const Problem& p, const Tuning&) : s(p) {}
  void operator()() {
    const auto ends = ends_of(s);
    const BinningGrid grid =
        binning_grid(double(ends.min_val), double(ends.max_val), s.p.bandwidth, s.p.tolerance);
    // Repeated runs keep the arrays while their size stays the same, and then allocate nothing.
    if (binning && binning->grid().points == grid.points)
      binning->place(grid, s.p.bandwidth);
    else
      binning = std::make_unique<LinearBinning<T>>(s.exec, grid, s.p.bandwidth);
    binning->prepare(s.data(), nullptr, s.p.n, double(s.p.n));
    evaluate();
  }
  void evaluate() const { binning->interpolate(s.data(), s.p.n, s.density(), s.p.norm()); }
};

}  // namespace

Entry kokkos() {
  Entry e;
  e.accuracy = Accuracy::approximate;
  e.exponentials = 0;
  e.direct = false;
  e.operations = 20;
  e.launches = 8;
  if (compat::exec_is_device()) e.unavailable = runtime::why_no_fft();
  e.extra_bytes = [](const Problem& p) {
    return 40.0 * double(binning_grid(0, span_of(p), p.bandwidth, p.tolerance).points);
  };
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    const BinningGrid grid = binning_grid(0, span_of(p), p.bandwidth, p.tolerance);
    if (grid.points > most_grid_points)
      return "a tolerance of " + runtime::three_digits(p.tolerance) + " needs " +
             runtime::three_digits(double(grid.points)) + " grid points, more than " +
             std::to_string(most_grid_points) + ": the transform is better";
    return std::nullopt;
  };
  return with_prepared_sum<BinnedSum>(e, "ends, grid and its convolution");
}

}  // namespace parity::kde::binned
