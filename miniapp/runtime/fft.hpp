// SPDX-License-Identifier: BSD-3-Clause
// Gaussian convolution and transforms of planes on the device by cuFFT, for code that must not include CUDA.
// cuFFT is found when it is first used: a build needs none of it, and any version will do.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace parity::runtime {

/// Why there is no cuFFT here, or "".
std::string why_no_fft();

/// What kde::convolve_on_host does, for device memory on 'stream' (a cudaStream_t).
void convolve(double* grid, std::int64_t points, double ratio, void* stream);

/// Real transforms of 'batch' planes (ny, nx) at a time, on 'stream', in device memory. Modes: half planes
/// (ny, nx/2 + 1) of complex numbers, which are pairs of T. There and back multiplies by nx ny.
template <class T>
class PlaneTransforms {
 public:
  PlaneTransforms(std::int64_t nx, std::int64_t ny, std::int64_t batch, void* stream);
  ~PlaneTransforms();
  void forward(const T* planes, T* modes) const;
  void back(T* modes, T* planes) const;  ///< destroys the modes

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
};

}  // namespace parity::runtime
