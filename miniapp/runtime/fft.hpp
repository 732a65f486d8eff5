// SPDX-License-Identifier: BSD-3-Clause
// Gaussian convolution on the device by cuFFT, for code that must not include CUDA.
// The program loads cuFFT at its first use: a build does not need it, and any version will do.
#pragma once
#include <cstdint>
#include <string>

namespace parity::runtime {

/// The reason why cuFFT cannot be used here, or "".
std::string why_no_fft();

/// As kde::convolve_on_host, for device memory on 'stream' (a cudaStream_t).
void convolve(double* grid, std::int64_t points, double ratio, void* stream);

}  // namespace parity::runtime
