// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-symmetric: each unordered pair of samples once, special-function unit, sums in fixed point:
// bitwise repeatable. Twin of kokkos-symmetric.
#include "backend/cuda/kde/register_tile.cuh"
#include "kde/refusals.hpp"
#include "kde/symmetric.hpp"

namespace parity::cuda {
namespace {

struct AddToSums {
  unsigned long long* sums;
  __device__ void operator()(std::int64_t place, double sum) const {
    atomicAdd(&sums[place], static_cast<unsigned long long>(to_fixed(sum)));
  }
};

template <int R, class Term, int threads>
__global__ void __launch_bounds__(threads)
    symmetric(const float* __restrict__ samples, Term term, Strips strips, unsigned long long* sums) {
  __shared__ Pack<float> stage[threads], others[threads];
  add_strip<1, R>(term, samples, strips, int(blockIdx.x), int(blockIdx.y), stage, others, int(threadIdx.x),
                  BlockBarrier(), AddToSums{sums});
}

template <class T>
__global__ void from_fixed(const unsigned long long* sums, T* density, std::int64_t n, double norm) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) density[i] = T(double(static_cast<long long>(sums[i])) * norm);
}

/// Tuning: queries of a thread, tiles of a strip, and what goes to the polynomial.
template <int R, class Term, int threads>
struct Symmetric {
  Samples<float> s;
  Strips strips;
  Buffer<unsigned long long> sums;
  Symmetric(const Problem& p, const Tuning& t)
      : s(p, symmetric_count(p.n, threads, R)),
        strips(strips_for(s.size(), threads, R, t[1])),
        sums(s.size()) {
    s.blocks_resident(symmetric<R, Term, threads>, threads);
  }
  void operator()() const {
    PARITY_CUDA(cudaMemsetAsync(sums.data(), 0, sums.bytes(), s.stream));
    symmetric<R, Term, threads>
        <<<dim3(unsigned(strips.tiles), unsigned(strips.strips)), threads, 0, s.stream>>>(
            s.data(), Term(s.p.bandwidth), strips, sums.data());
    from_fixed<<<blocks_for(s.p.n, 256), 256, 0, s.stream>>>(sums.data(), s.density(), s.p.n,
                                                             s.p.norm() / fixed_one);
    PARITY_CUDA(cudaGetLastError());
  }
};

template <class Term>
std::unique_ptr<Variant<float>> make_symmetric(const Problem& p, const Tuning& t) {
  return t[0] == 4 ? make_sum<float, Symmetric<4, Term, 128>>(p, t)
                   : make_sum<float, Symmetric<8, Term, 128>>(p, t);
}

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry symmetric_cuda() {
  Entry e;
  e.tunings = {"8x4", "8x16", "4x16", "8x4x2", "4x16x2", "4x4x2"};
  e.tuning_axes = "queries of a thread (4 or 8) x tiles of a strip; also x pairs of 16 on the polynomial: 2";
  e.polynomial_place = 2;
  e.exponentials = 0.5;
  e.operations = 4;
  e.chain = symmetric_additions;
  e.launches = 3;
  e.extra_bytes = [](const Problem& p) { return 8.0 * (double(p.n) + 4096); };
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 4 && t[0] != 8) return "a thread takes 4 or 8 queries";
    if (t.values.size() > 2 && t[2] != 2) return "2 of 16 pairs go to the polynomial";
    return refuse_symmetric(p, t);
  };
  e.make_f32 = [](const Problem& p, const Tuning& t) {
    return t.values.size() > 2 ? cuda::make_symmetric<MixedTerm<2>>(p, t)
                               : cuda::make_symmetric<HardwareTerm<float>>(p, t);
  };
  return e;
}

}  // namespace parity::kde
