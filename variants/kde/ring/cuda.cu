// SPDX-License-Identifier: BSD-3-Clause
// ring, CUDA: one block per tile of the rank's queries and chunk of the current block of samples.
#include "algorithm.hpp"
#include "backend/cuda/kde/chunks.cuh"

namespace parity::kde::ring {
namespace {

using namespace parity::cuda;

/// register_tile's default configuration. Double needs twice the registers.
template <class T>
struct RingTile {
  static constexpr bool single = sizeof(T) == 4;
  static constexpr int queries = 4, threads = single ? 128 : 256, blocks = single ? 8 : 1,
                       unroll = single ? 16 : 2;
};

template <class T>
__global__ void __launch_bounds__(RingTile<T>::threads, RingTile<T>::blocks)
    ring_tile(const T* __restrict__ queries, const T* __restrict__ samples, HardwareTerm<T> term, Split split,
              RingSink<T> sink) {
  constexpr int R = RingTile<T>::queries, threads = RingTile<T>::threads;
  __shared__ double table[HardwareTerm<T>::table_size > 0 ? HardwareTerm<T>::table_size : 1];
  const int tile = int(blockIdx.x), chunk = int(blockIdx.y), thread = int(threadIdx.x);
  term.bind(table, thread, threads);  // add_chunk synchronises
  const auto query = [&](int r) { return (std::int64_t(tile) * R + r) * threads + thread; };
  T q[R];
  ExactSum total[R] = {};
#pragma unroll
  for (int r = 0; r < R; ++r) q[r] = queries[query(r) < sink.n ? query(r) : sink.n - 1];
  add_chunk<RingTile<T>::unroll, R>(term, q, samples, split.first(chunk), split.last(chunk), threads, total);
#pragma unroll
  for (int r = 0; r < R; ++r) sink.put(chunk, query(r), total[r]);
}

template <class T>
__global__ void ring_density(RingDensity<T> density, std::int64_t n) {
  const std::int64_t query = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (query < n) density(query);
}

template <class T>
class RingPart {
 public:
  static constexpr bool on_device = true;
  static constexpr int threads = RingTile<T>::threads, tile_size = RingTile<T>::queries * threads;

  RingPart(const Problem& part, std::int64_t block, const Tuning&)
      : s_(part, block),
        split_(ring_split(split_for(block, tile_size, s_.blocks_on_device(ring_tile<T>, threads)), part.n,
                          tile_size)),
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
    ring_tile<T><<<grid_of(split_), threads, 0, s_.stream>>>(s_.data(), block,
                                                             HardwareTerm<T>(s_.p.bandwidth), split_, sink);
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
  Samples<T> s_;
  Split split_;
  Buffer<T> first_, second_;
  Buffer<ExactSum> sums_, partial_;
};

}  // namespace

Entry cuda() {
  Entry e = algorithm();
  e.launches = 4;
  e.extra_bytes = [](const Problem& p) { return ring_bytes(p) + 2 * partial_bytes(own_part(p)); };
  e.make_f32 = Entry::made<float, Ring<float, RingPart<float>>>;
  e.make_f64 = Entry::made<double, Ring<double, RingPart<double>>>;
  return e;
}

}  // namespace parity::kde::ring
