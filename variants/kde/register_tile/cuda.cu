// SPDX-License-Identifier: BSD-3-Clause
// register_tile, CUDA: one block per tile of queries and chunk of samples, staged through shared memory.
#include "algorithm.hpp"
#include "backend/cuda/kde/chunks.cuh"

namespace parity::kde::register_tile {
namespace {

using namespace parity::cuda;

template <class T, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    register_tile(const T* __restrict__ queries, const T* __restrict__ samples, typename Tile::Term term,
                  Split split, Sink<T> sink) {
  constexpr int R = Tile::queries, threads = Tile::threads, ahead = Tile::unroll;
  __shared__ Pack<T> stage[stage_packs];
  __shared__ double table[Tile::Term::table_size > 0 ? Tile::Term::table_size : 1];
  const int tile = int(blockIdx.x), chunk = int(blockIdx.y), thread = int(threadIdx.x);
  term.bind(table, thread, threads);  // the loop below synchronises
  const auto query = [&](int r) { return (std::int64_t(tile) * R + r) * threads + thread; };
  T q[R];
  double total[R] = {};
#pragma unroll
  for (int r = 0; r < R; ++r) q[r] = queries[query(r) < sink.n ? query(r) : sink.n - 1];
  for (int at = split.first(chunk); at < split.last(chunk); at += stage_packs) {
    const int count = split.last(chunk) - at < stage_packs ? split.last(chunk) - at : stage_packs;
    __syncthreads();
    for (int k = thread; k < count; k += threads)
      stage[k] = reinterpret_cast<const Pack<T>*>(samples)[at + k];
    __syncthreads();
    for (int first = 0; first < count; first += flush_packs) {
      T sum[R] = {};
#pragma unroll ahead
      for (int k = 0; k < flush_packs; ++k) add_pack(term, q, stage[first + k], sum);
#pragma unroll
      for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) sink.put(chunk, query(r), total[r]);
}

template <class T, class Tile>
struct RegisterTile {
  Samples<T> s;
  Split split;
  Buffer<double> partial;
  RegisterTile(const Problem& p, const Tuning&)
      : s(p),
        split(split_for(p.n, Tile::queries * Tile::threads,
                        s.blocks_on_device(register_tile<T, Tile>, Tile::threads))),
        partial(split.chunks * p.n) {}
  void operator()() const {
    const Sink<T> sink = s.sink(split.chunks > 1 ? partial.data() : nullptr);
    register_tile<T, Tile><<<grid_of(split), Tile::threads, 0, s.stream>>>(
        s.data(), s.data(), typename Tile::Term(s.p.bandwidth), split, sink);
    if (split.chunks > 1) second_pass<<<blocks_for(s.p.n, 256), 256, 0, s.stream>>>(sink, split.chunks);
    PARITY_CUDA(cudaGetLastError());
  }
};

template <class T>
std::unique_ptr<Variant<T>> make_register_tile(const Problem& p, const Tuning& t) {
  return with_tile<T>(t, [&](auto tile) { return make_sum<T, RegisterTile<T, decltype(tile)>>(p, t); });
}

}  // namespace

Entry cuda() {
  Entry e = algorithm();
  e.extra_bytes = partial_bytes;
  e.make_f32 = make_register_tile<float>;
  e.make_f64 = make_register_tile<double>;
  return e;
}

}  // namespace parity::kde::register_tile
