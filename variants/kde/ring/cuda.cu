// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-ring: samples shared by ranks, blocks of them pass round; a block's sums as cuda-register-tile's.
// Twin of kokkos-ring.
#include "backend/cuda/kde/register_tile.cuh"
#include "kde/ring.hpp"

namespace parity::cuda {
namespace {

template <class T>
__global__ void ring_density(RingDensity<T> density, std::int64_t n) {
  const std::int64_t query = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (query < n) density(query);
}

template <class T, int R, class Term, int threads, int least_blocks, int unroll>
class RingPart {
 public:
  static constexpr bool on_device = true;

  RingPart(const Problem& part, std::int64_t block, const Tuning&)
      : s_(part, block),
        split_(ring_split(split_for(block, R * threads,
                                    std::int64_t(s_.blocks_resident(kernel, threads)) *
                                        attribute(cudaDevAttrMultiProcessorCount)),
                          part.n, R * threads)),
        first_(block),
        second_(block),
        sums_(part.n),
        partial_(split_.chunks * part.n) {}

  void load(const T* samples) { s_.load(samples); }
  void store(T* density) const { s_.store(density); }
  void synchronise() const { s_.synchronise(); }
  void* stream() const { return s_.stream; }
  runtime::DeviceClock* clock() const { return s_.clock(); }
  T* block(int which) const {
    return which == 0 ? const_cast<T*>(s_.data()) : which == 1 ? first_.data() : second_.data();
  }

  void clear() const { PARITY_CUDA(cudaMemsetAsync(sums_.data(), 0, sums_.bytes(), s_.stream)); }
  void add(const T* block) const {
    if (s_.p.n == 0) return;
    const RingSink<T> sink{sums_.data(), split_.chunks > 1 ? partial_.data() : nullptr, s_.p.n};
    kernel<<<dim3(unsigned(split_.tiles), unsigned(split_.chunks)), threads, 0, s_.stream>>>(
        s_.data(), block, Term(s_.p.bandwidth), split_, sink);
    if (split_.chunks > 1) second_pass<<<blocks_for(s_.p.n, 256), 256, 0, s_.stream>>>(sink, split_.chunks);
    PARITY_CUDA(cudaGetLastError());
  }
  void finish(double norm) const {
    if (s_.p.n == 0) return;
    ring_density<<<blocks_for(s_.p.n, 256), 256, 0, s_.stream>>>(
        RingDensity<T>{sums_.data(), s_.density(), norm}, s_.p.n);
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  static constexpr auto kernel = register_tile<T, R, Term, threads, least_blocks, unroll, RingSink<T>>;
  Samples<T> s_;
  Split split_;
  Buffer<T> first_, second_;
  Buffer<ExactSum> sums_, partial_;
};

template <class T>
std::unique_ptr<Variant<T>> make_any(const Problem& p, const Tuning& t) {
  if constexpr (sizeof(T) == 4)
    return make_ring<T, RingPart<T, 4, HardwareTerm<T>, 128, 8, 16>>(p, t);
  else
    return make_ring<T, RingPart<T, 4, HardwareTerm<T>, 256, 1, 2>>(p, t);
}

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry ring_cuda() {
  Entry e = ring_entry(Entry());
  e.launches = 4;
  e.extra_bytes = [](const Problem& p) { return ring_bytes(p) + 2 * cuda::partial_bytes(own_part(p)); };
  e.make_f32 = cuda::make_any<float>;
  e.make_f64 = cuda::make_any<double>;
  return e;
}

}  // namespace parity::kde
