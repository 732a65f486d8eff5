// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/fft.hpp"

#include <map>
#include <memory>
#include <stdexcept>

#include "buffer.cuh"
#include "current_device.cuh"
#include "runtime/device.hpp"
#include "runtime/library.hpp"

namespace parity::runtime {
namespace {

struct Complex {
  double re, im;
};

/// The cuFFT functions that Parity uses; their C interface is unchanged since CUDA 5.
struct Library {
  int (*plan_1d)(int* plan, int points, int type, int batch) = nullptr;
  int (*set_stream)(int plan, cudaStream_t stream) = nullptr;
  int (*forward)(int plan, double* from, Complex* to) = nullptr;
  int (*back)(int plan, Complex* from, double* to) = nullptr;
  int (*destroy)(int plan) = nullptr;
  bool found = false;

  Library() {
    void* const handle = open_library({"libcufft.so", "libcufft.so.12", "libcufft.so.11", "libcufft.so.10"});
    if (!handle) return;
    found = find_function(handle, "cufftPlan1d", plan_1d) &&
            find_function(handle, "cufftSetStream", set_stream) &&
            find_function(handle, "cufftExecD2Z", forward) && find_function(handle, "cufftExecZ2D", back) &&
            find_function(handle, "cufftDestroy", destroy);
  }
};
const Library& library() {
  static const Library loaded;
  return loaded;
}

void check_fft(int status, const char* what) {
  if (status != 0)
    throw std::runtime_error(std::string("cuFFT: ") + what + " failed with code " + std::to_string(status));
}

constexpr int real_to_complex = 0x6a, complex_to_real = 0x6c;  // CUFFT_D2Z, CUFFT_Z2D

__global__ void multiply_by_gaussian(Complex* spectrum, std::int64_t modes, std::int64_t points,
                                     double ratio) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= modes) return;
  const double angle = 2 * M_PI * double(k) / double(points) * ratio;
  const double factor = sqrt(2 * M_PI) * ratio * exp(-0.5 * angle * angle) / double(points);
  spectrum[k].re *= factor;
  spectrum[k].im *= factor;
}

class Plan {
 public:
  Plan(std::int64_t points, int type) {
    check_fft(library().plan_1d(&handle_, int(points), type, 1), "a plan");
  }
  ~Plan() { library().destroy(handle_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  operator int() const { return handle_; }

 private:
  int handle_ = 0;
};

/// Plans and work space for one size on one device; kept, because their creation costs more than their use.
struct Plans {
  Plan forward, back;
  cuda::Buffer<Complex> spectrum;
  explicit Plans(std::int64_t points)
      : forward(points, real_to_complex), back(points, complex_to_real), spectrum(points / 2 + 1) {}
};

Plans& plans_for(std::int64_t points) {
  // Never destroyed: at the end of the program CUDA may shut down before them.
  static auto& known = *new std::map<std::pair<int, std::int64_t>, std::unique_ptr<Plans>>;
  std::unique_ptr<Plans>& plans = known[{cuda::current_device(), points}];
  if (!plans) plans = std::make_unique<Plans>(points);
  return *plans;
}

}  // namespace

std::string why_no_fft() {
  std::string why;
  if (!device(&why)) return why;
  return library().found ? ""
                         : "cuFFT was not found; add the CUDA toolkit's library folder to LD_LIBRARY_PATH";
}

void convolve(double* grid, std::int64_t points, double ratio, void* stream) {
  const Plans& plans = plans_for(points);
  const auto on = static_cast<cudaStream_t>(stream);
  Complex* const spectrum = plans.spectrum.data();
  check_fft(library().set_stream(plans.forward, on), "the stream");
  check_fft(library().set_stream(plans.back, on), "the stream");
  check_fft(library().forward(plans.forward, grid, spectrum), "the forward transform");
  multiply_by_gaussian<<<cuda::blocks_for(plans.spectrum.size(), 256), 256, 0, on>>>(
      spectrum, plans.spectrum.size(), points, ratio);
  PARITY_CUDA(cudaGetLastError());
  check_fft(library().back(plans.back, spectrum, grid), "the backward transform");
}

}  // namespace parity::runtime
