// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-spectral: no steps, but what N steps make of each Fourier mode: transforms of some planes at
// a time by cuFFT, one multiplication, and back.
#include "diffusion/propagator.hpp"
#include "runtime/fft.hpp"
#include "whole.cuh"

namespace parity::cuda {
namespace {

/// Of planes on their way: 256 MiB of modes keep a GPU busy, and one plane at least.
struct Batch {
  std::int64_t modes, planes, count;
  explicit Batch(const Problem& p)
      : modes(p.ny * (p.nx / 2 + 1)),
        planes(std::min<std::int64_t>(
            {p.nz, 65535,
             std::max<std::int64_t>(
                 1, (std::int64_t(1) << 28) / (modes * 2 * std::int64_t(runtime::bytes_of(p.precision))))})),
        count((p.nz + planes - 1) / planes) {}
};

template <class T>
struct alignas(2 * sizeof(T)) Mode {
  T re, im;
};

/// Grid: modes of a plane x planes.
template <class T>
__global__ void multiply_modes(Mode<T>* __restrict__ modes, const T* __restrict__ factor, int of_plane) {
  const int m = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (m >= of_plane) return;
  Mode<T>& mode = modes[std::size_t(blockIdx.y) * of_plane + m];
  const T by = factor[m];
  mode.re *= by;
  mode.im *= by;
}

template <class T>
class Spectral : public WholeRun<T> {
 public:
  Spectral(const Problem& p, const Tuning&)
      : WholeRun<T>([&p] { return Fields<T>::periodic(p); }),
        batch_(p),
        factor_(batch_.modes),
        modes_(2 * batch_.modes * batch_.planes),
        transforms_(p.nx, p.ny, batch_.planes, f_.stream) {
    const std::vector<double> exact = propagator(p);
    const std::vector<T> factor(exact.begin(), exact.end());
    PARITY_CUDA(cudaMemcpy(factor_.data(), factor.data(), factor_.bytes(), cudaMemcpyHostToDevice));
  }
  void load(const T* field) override {
    modes_.poison_on(f_.stream);
    WholeRun<T>::load(field);
  }
  void advance() override {
    for (std::int64_t n = 0; n < batch_.count; ++n) {
      // The last batch begins earlier instead of being smaller: input and output are different fields.
      const std::int64_t at = std::min(n * batch_.planes, f_.p.nz - batch_.planes) * f_.p.nx * f_.p.ny;
      transforms_.forward(f_[0] + at, modes_.data());
      multiply_modes<<<dim3(blocks_for(batch_.modes, 256), unsigned(batch_.planes)), 256, 0, f_.stream>>>(
          reinterpret_cast<Mode<T>*>(modes_.data()), factor_.data(), int(batch_.modes));
      PARITY_CUDA(cudaGetLastError());
      transforms_.back(modes_.data(), f_[1] + at);
    }
    result_ = 1;
  }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;
  Batch batch_;
  Buffer<T> factor_, modes_;
  runtime::PlaneTransforms<T> transforms_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_spectral() {
  Entry e;
  e.method = exact_propagator;
  e.unavailable = runtime::why_no_fft();
  e.refuse = [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (double(p.nx) * double(p.ny) > double(1 << 30)) return "cuFFT counts a plane's points in 32 bits";
    return std::nullopt;
  };
  e.model = [](const Problem& p) { return cost_of_propagator(p, 3 * double(cuda::Batch(p).count)); };
  // Of the modes three times: cuFFT has work space in either direction.
  e.extra_bytes = [](const Problem& p) {
    const cuda::Batch b(p);
    return double(b.modes) * (1 + 3 * 2 * double(b.planes)) * double(runtime::bytes_of(p.precision));
  };
  return with_factories<cuda::Spectral>(e);
}

}  // namespace parity::diffusion
