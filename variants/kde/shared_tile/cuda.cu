// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-shared-tile: one query a thread, samples staged through shared memory, the library's exp.
// Twin of kokkos-team-scratch.
#include "backend/cuda/kde/original.cuh"
#include "backend/cuda/kde/register_tile.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void shared_tile(const T* __restrict__ samples, LibraryTerm<T> term, Split split, Sink<T> sink) {
  __shared__ Pack<T> stage[stage_packs];
  const int thread = int(threadIdx.x), threads = int(blockDim.x), tile = int(blockIdx.x);
  T q[1];
  double total[1] = {0};
  load_queries(samples, sink.n, tile, thread, threads, q);
  add_staged<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), 0, split.packs, stage, thread, threads,
                   BlockBarrier(), total);
  sink.put(0, query_of(tile, 0, thread, threads, 1), total[0]);
}

template <class T>
struct SharedTile {
  Samples<T> s;
  int width;
  SharedTile(const Problem& p, const Tuning& t) : s(p), width(t[0]) {
    s.blocks_resident(shared_tile<T>, width);
  }
  void operator()() const {
    const Split split = split_into(s.p.n, width, 1);
    shared_tile<T><<<unsigned(split.tiles), unsigned(width), 0, s.stream>>>(
        s.data(), LibraryTerm<T>(s.p.bandwidth), split, s.sink());
    PARITY_CUDA(cudaGetLastError());
  }
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry shared_tile_cuda() { return cuda::with_sum<cuda::SharedTile>(cuda::block_width_entry()); }

}  // namespace parity::kde
