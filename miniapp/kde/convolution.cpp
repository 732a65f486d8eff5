// SPDX-License-Identifier: BSD-3-Clause
#include "kde/binning.hpp"

#include <fftw3.h>

#include <cmath>
#include <memory>
#include <new>

namespace parity::kde {

void convolve_on_host(double* grid, std::int64_t points, double ratio) {
  const std::int64_t modes = points / 2 + 1;
  const std::unique_ptr<fftw_complex, void (*)(void*)> spectrum(fftw_alloc_complex(std::size_t(modes)),
                                                                fftw_free);
  if (!spectrum) throw std::bad_alloc();
  const fftw_plan forward = fftw_plan_dft_r2c_1d(int(points), grid, spectrum.get(), FFTW_ESTIMATE);
  const fftw_plan back = fftw_plan_dft_c2r_1d(int(points), spectrum.get(), grid, FFTW_ESTIMATE);
  fftw_execute(forward);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < modes; ++k) {
    const double angle = 2 * M_PI * double(k) / double(points) * ratio;
    const double factor = std::sqrt(2 * M_PI) * ratio * std::exp(-0.5 * angle * angle) / double(points);
    spectrum.get()[k][0] *= factor;
    spectrum.get()[k][1] *= factor;
  }
  fftw_execute(back);
  fftw_destroy_plan(forward);
  fftw_destroy_plan(back);
}

}  // namespace parity::kde
