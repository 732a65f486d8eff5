// SPDX-License-Identifier: BSD-3-Clause
// Gaussian convolution of a periodic grid on the host, by FFTW.
#pragma once
#include <cstdint>

namespace parity::kde {

/// Replaces 'points' values, a spacing apart, by their convolution with exp(-x^2 / (2 h^2)): each Fourier
/// mode is multiplied by the Gaussian's own transform. ratio = h / spacing, at least 1.
void convolve_on_host(double* grid, std::int64_t points, double ratio);

}  // namespace parity::kde
