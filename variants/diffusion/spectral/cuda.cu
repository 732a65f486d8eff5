// SPDX-License-Identifier: BSD-3-Clause
// spectral, CUDA: transforms of some planes at a time by cuFFT, one multiplication, and back.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/whole.cuh"
#include "runtime/fft.hpp"

namespace parity::diffusion::spectral {
namespace {

using namespace parity::cuda;

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

/// Planes on their way: 256 MiB of modes keep a GPU busy. cuFFT wants every batch to begin at 16 bytes.
struct Batches {
  std::int64_t modes, planes, count, rest;  ///< rest: planes of the last one
  explicit Batches(const Problem& p) : modes(p.ny * (p.nx / 2 + 1)) {
    const auto word = std::int64_t(runtime::bytes_of(p.precision));
    std::int64_t aligned = 1;
    while (aligned * p.nx * p.ny * word % 16 != 0) aligned *= 2;
    const std::int64_t wish =
        std::clamp<std::int64_t>((std::int64_t(1) << 28) / (modes * 2 * word), 1, 65536 - aligned);
    planes = std::min(p.nz, (wish + aligned - 1) / aligned * aligned);
    count = (p.nz + planes - 1) / planes;
    rest = p.nz - (count - 1) * planes;
  }
};

template <class T>
class Spectral : public WholeRun<T> {
 public:
  Spectral(const Problem& p, const Tuning&)
      : WholeRun<T>([&p] { return Fields<T>::periodic(p); }),
        batches_(p),
        factor_(batches_.modes),
        modes_(2 * batches_.modes * batches_.planes),
        transforms_(p.nx, p.ny, batches_.planes, f_.stream) {
    if (batches_.rest != batches_.planes)
      rest_ = std::make_unique<Transforms>(p.nx, p.ny, batches_.rest, f_.stream);
    const std::vector<double> exact = propagator(p);
    const std::vector<T> factor(exact.begin(), exact.end());
    PARITY_CUDA(
        cudaMemcpyAsync(factor_.data(), factor.data(), factor_.bytes(), cudaMemcpyHostToDevice, f_.stream));
    f_.synchronise();
  }
  void load(const T* field) override {
    modes_.poison_on(f_.stream);
    WholeRun<T>::load(field);
  }
  void advance() override {
    for (std::int64_t n = 0; n < batches_.count; ++n) {
      const bool last = n + 1 == batches_.count;
      const Transforms& transforms = last && rest_ ? *rest_ : transforms_;
      const auto planes = unsigned(last ? batches_.rest : batches_.planes);
      const std::int64_t at = n * batches_.planes * f_.p.nx * f_.p.ny;
      transforms.forward(f_[0] + at, modes_.data());
      multiply_modes<<<dim3(blocks_for(batches_.modes, 256), planes), 256, 0, f_.stream>>>(
          reinterpret_cast<Mode<T>*>(modes_.data()), factor_.data(), int(batches_.modes));
      PARITY_CUDA(cudaGetLastError());
      transforms.back(modes_.data(), f_[1] + at);
    }
    result_ = 1;
  }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;
  using Transforms = runtime::PlaneTransforms<T>;
  Batches batches_;
  Buffer<T> factor_, modes_;
  Transforms transforms_;
  std::unique_ptr<Transforms> rest_;
};

}  // namespace

Entry cuda() {
  Entry e = algorithm();
  e.unavailable = runtime::why_no_fft();
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (double(p.nx) * double(p.ny) > double(1 << 30)) return "cuFFT counts a plane's points in 32 bits";
    return std::nullopt;
  };
  e.model = [](const Problem& p) { return cost_of_propagator(p, 3 * double(Batches(p).count)); };
  // The modes, and work space of each of four plans.
  e.extra_bytes = [](const Problem& p) {
    const Batches b(p);
    return double(b.modes) * (1 + 5 * 2 * double(b.planes)) * double(runtime::bytes_of(p.precision));
  };
  return with_factories<Spectral>(e);
}

}  // namespace parity::diffusion::spectral
