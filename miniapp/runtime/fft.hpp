// SPDX-License-Identifier: BSD-3-Clause
// Gaussian convolution on the device by cuFFT, for code that must not include CUDA.
// cuFFT is found when it is first used: a build needs none of it, and any version will do.
#pragma once
#include <cstdint>
#include <string>

namespace parity::runtime {

/// Why there is no cuFFT here, or "".
std::string why_no_fft();

/// What kde::convolve_on_host does, for device memory on 'stream' (a cudaStream_t).
void convolve(double* grid, std::int64_t points, double ratio, void* stream);

}  // namespace parity::runtime
