// SPDX-License-Identifier: BSD-3-Clause
// symmetric_ticket, CUDA: computes each unordered pair of samples once in one launch, for few samples. One
// block per pair of small tiles gives work to all multiprocessors; the block that completes a tile's sums
// turns them into densities. Each lane of a warp has R queries and one sample, which rotates through the
// lanes with its own sum. Bitwise repeatable.
#include "backend/cuda/kde/samples.cuh"
#include "kde/symmetric.hpp"

namespace parity::kde::symmetric_ticket {
namespace {

using namespace parity::cuda;

/// Longest chain of float additions: a sample's sum takes R terms at once from each lane.
constexpr int pair_additions = 8 + 32;

/// Shared by all blocks: fixed-point sums and, for each tile, the number of blocks that have added to it.
/// Both are zero between launches.
struct TileSums {
  unsigned long long* sums;
  int* arrived;
  float* density;
  std::int64_t n;
  double norm;
};

/// For each of two tiles, which may be the same: true if this block is the last of 'expected' to add to it.
/// All threads call completes after their additions. It counts both tiles at once, since an answer takes as
/// long as hundreds of terms.
struct Completed {
  bool first, second;
};
__device__ Completed completes(int* arrived, int first, int second, int expected) {
  __shared__ bool last[2];
  __syncthreads();
  if (threadIdx.x < 2 && (threadIdx.x == 0 || first != second)) {
    int* const at = &arrived[threadIdx.x == 0 ? first : second];
    // The fences also order what the block's other threads added before the barrier.
    __threadfence();
    last[threadIdx.x] = atomicAdd(at, 1) == expected - 1;
    if (last[threadIdx.x]) *at = 0;
    __threadfence();
  }
  __syncthreads();
  return {last[0], first != second && last[1]};
}

/// Blocks (tile, offset) of 32 R threads, one sample per thread; each of the R warps has the tile's queries
/// and 32 samples of the other tile.
template <int R, int unrolled, class Term>
__global__ void __launch_bounds__(32 * R)
    pair_of_tiles(const float* __restrict__ samples, Term term, Strips at, TileSums out) {
  constexpr int size = 32 * R, turns = 32;
  constexpr unsigned all = 0xffffffffu;
  __shared__ float rows[R][size];
  const int tile = int(blockIdx.x), offset = int(blockIdx.y), thread = int(threadIdx.x), lane = thread % 32,
            warp = thread / 32;
  if (!at.meets(tile, offset)) return;
  const int other = tile + offset < at.tiles ? tile + offset : tile + offset - at.tiles;
  float q[R], row[R], x = samples[std::int64_t(other) * size + thread], column = 0;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    q[r] = samples[std::int64_t(tile) * size + r * 32 + lane];
    row[r] = 0;
  }
#pragma unroll 1
  for (int turn = 0; turn < turns; turn += unrolled) {
#pragma unroll
    for (int u = 0; u < unrolled; ++u) {
      float sum = 0;
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const float v = term.value(u * R + r, q[r], x);
        row[r] += v;
        sum += v;
      }
      column += sum;
      x = __shfl_sync(all, x, lane + 1);  // source lane modulo 32
      column = __shfl_sync(all, column, lane + 1);
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) rows[warp][r * 32 + lane] = row[r];
  __syncthreads();
  double total = 0;
#pragma unroll
  for (int w = 0; w < R; ++w) total += double(rows[w][thread]);
  const auto add = [&](int to, double sum) {
    atomicAdd(&out.sums[std::int64_t(to) * size + thread], static_cast<unsigned long long>(to_fixed(sum)));
  };
  const auto finish = [&](int of) {
    const std::int64_t place = std::int64_t(of) * size + thread;
    const auto sum = static_cast<long long>(__ldcg(&out.sums[place]));
    out.sums[place] = 0;
    if (place < out.n) out.density[place] = float(double(sum) * out.norm);
  };
  add(tile, total);
  // A tile meets itself in full: the mirrored half is already in its sums.
  if (other != tile) add(other, double(column));
  const Completed completed = completes(out.arrived, tile, other, at.tiles);
  if (completed.first) finish(tile);
  if (completed.second) finish(other);
}

/// Tuning: queries per lane x unrolled turns.
template <int R, int unrolled, class Term>
struct SymmetricTicket {
  Samples<float> s;
  Strips strips;
  Buffer<unsigned long long> sums;
  Buffer<int> arrived;
  SymmetricTicket(const Problem& p, const Tuning&)
      : s(p, symmetric_count(p.n, 32, R)),
        strips(strips_for(s.size(), 32, R, 1)),
        sums(s.size()),
        arrived(strips.tiles) {
    s.blocks_resident(pair_of_tiles<R, unrolled, Term>, 32 * R);
    PARITY_CUDA(cudaMemsetAsync(sums.data(), 0, sums.bytes(), s.stream));
    PARITY_CUDA(cudaMemsetAsync(arrived.data(), 0, arrived.bytes(), s.stream));
    s.synchronise();
  }
  void operator()() const {
    pair_of_tiles<R, unrolled>
        <<<dim3(unsigned(strips.tiles), unsigned(strips.strips)), 32 * R, 0, s.stream>>>(
            s.data(), Term(s.p.bandwidth), strips,
            {sums.data(), arrived.data(), s.density(), s.p.n, s.p.norm() / fixed_one});
    PARITY_CUDA(cudaGetLastError());
  }
};

template <int R, int unrolled, class Term = HardwareTerm<float>>
std::unique_ptr<Variant<float>> make_ticket(const Problem& p, const Tuning& t) {
  return make_sum<float, SymmetricTicket<R, unrolled, Term>>(p, t);
}

}  // namespace

Entry cuda() {
  Entry e;
  e.tunings = {"4x4", "4x2", "4x8", "4x32", "8x4", "2x4", "4x4x3"};
  e.tuning_axes = "queries of a lane x turns unrolled; 4x4 also x pairs of 16 on the polynomial: 3";
  e.polynomial_place = 2;
  e.exponentials = 0.5;
  e.operations = 4;
  e.chain = pair_additions;
  e.launches = 1;
  e.captured = true;
  e.extra_bytes = [](const Problem& p) { return 8.0 * (double(p.n) + 512) + double(p.n) / 16; };
  e.refuse += [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    const bool known = (t[0] == 4 && (t[1] == 2 || t[1] == 8 || t[1] == 32)) ||
                       (t[1] == 4 && (t[0] == 2 || t[0] == 4 || t[0] == 8));
    if (!known || (t.values.size() > 2 && (t[0] != 4 || t[1] != 4 || t[2] != 3)))
      return "it is compiled for 4x4, 4x2, 4x8, 4x32, 8x4, 2x4, 4x4x3";
    return refuse_symmetric(p, t);
  };
  e.make_f32 = [](const Problem& p, const Tuning& t) {
    if (t.values.size() > 2) return make_ticket<4, 4, MixedTerm<3>>(p, t);
    switch (t[0] * 100 + t[1]) {
      case 204:
        return make_ticket<2, 4>(p, t);
      case 402:
        return make_ticket<4, 2>(p, t);
      case 408:
        return make_ticket<4, 8>(p, t);
      case 432:
        return make_ticket<4, 32>(p, t);
      case 804:
        return make_ticket<8, 4>(p, t);
      default:
        return make_ticket<4, 4>(p, t);
    }
  };
  return e;
}

}  // namespace parity::kde::symmetric_ticket
