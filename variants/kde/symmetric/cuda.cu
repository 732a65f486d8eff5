// SPDX-License-Identifier: BSD-3-Clause
// symmetric, CUDA: one block per strip of tile pairs, with atomic additions of 64 bits.
#include "algorithm.hpp"
#include "backend/cuda/kde/samples.cuh"

namespace parity::kde::symmetric {
namespace {

using namespace parity::cuda;

/// block: at.threads, a power of two and at least a quarter of a tile.
template <int R, class Term, int block>
__global__ void __launch_bounds__(block)
    symmetric(const float* __restrict__ samples, Term term, Strips at, unsigned long long* sums) {
  __shared__ Pack<float> stage[block], others[block];
  const int tile = int(blockIdx.x), strip = int(blockIdx.y), thread = int(threadIdx.x), threads = at.threads;
  const auto add = [sums](std::int64_t place, double sum) {
    atomicAdd(&sums[place], static_cast<unsigned long long>(to_fixed(sum)));
  };
  float q[R];
  double total[R];
#pragma unroll
  for (int r = 0; r < R; ++r) {
    q[r] = samples[std::int64_t(tile) * at.tile_size + r * threads + thread];
    total[r] = 0;
  }
  for (int offset = at.first(strip); offset < at.last(strip); ++offset) {
    if (!at.meets(tile, offset)) continue;
    const int other = tile + offset < at.tiles ? tile + offset : tile + offset - at.tiles;
    const std::int64_t from = std::int64_t(other) * at.tile_size;
    for (int first = 0; first < at.tile_size / pack_width; first += threads) {
      __syncthreads();
      stage[thread] = reinterpret_cast<const Pack<float>*>(samples + from)[first + thread];
      others[thread] = Pack<float>{};
      __syncthreads();
      // Both float sums stay short: a thread's is flushed after 256 terms, the mirrored one adds R at once.
      const int run = threads < flush_packs ? threads : flush_packs;
      for (int begin = 0; begin < threads; begin += run) {
        float sum[R];
#pragma unroll
        for (int r = 0; r < R; ++r) sum[r] = 0;
#pragma unroll 1
        for (int step = begin; step < begin + run; ++step) {
          const int place = (thread + step) & (threads - 1);
          const Pack<float> x = stage[place];
          Pack<float> mirrored = others[place];
          float part[R];
#pragma unroll
          for (int e = 0; e < pack_width; ++e) {
            float v[R], column = 0;
#pragma unroll
            for (int r = 0; r < R; ++r) {
              v[r] = term.value(r * pack_width + e, q[r], x.value[e]);
              part[r] = e == 0 ? v[r] : part[r] + v[r];
            }
#pragma unroll
            for (int r = 0; r < R; ++r) column += v[r];
            mirrored.value[e] += column;
          }
#pragma unroll
          for (int r = 0; r < R; ++r) sum[r] += part[r];
          others[place] = mirrored;
          __syncthreads();
        }
#pragma unroll
        for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
      }
      // A tile meets itself in full: the mirrored half is already in its sums.
      if (offset == 0) continue;
#pragma unroll
      for (int e = 0; e < pack_width; ++e)
        add(from + (first + thread) * pack_width + e, double(others[thread].value[e]));
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) add(std::int64_t(tile) * at.tile_size + r * threads + thread, total[r]);
}

template <class T>
__global__ void from_fixed(const unsigned long long* sums, T* density, std::int64_t n, double norm) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) density[i] = T(double(static_cast<long long>(sums[i])) * norm);
}

/// Tuning: queries per thread, tiles per strip, and the pairs that a polynomial computes.
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

Entry cuda() {
  Entry e = on_device(algorithm());
  e.launches = 3;
  e.extra_bytes = [](const Problem& p) { return 8.0 * (double(p.n) + 4096); };
  e.make_f32 = [](const Problem& p, const Tuning& t) {
    return t.values.size() > 2 ? make_symmetric<MixedTerm<2>>(p, t)
                               : make_symmetric<HardwareTerm<float>>(p, t);
  };
  return e;
}

}  // namespace parity::kde::symmetric
