// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-shared-tile: one query a thread, samples staged through shared memory, the library's exp.
// Twin of kokkos-team-scratch.
#include "register_tile.cuh"
#include "seed.cuh"

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
class SharedTile : public CudaSamples<T> {
 public:
  SharedTile(const Problem& p, const Tuning& t) : CudaSamples<T>(p), width_(t[0]) {
    this->blocks_resident(shared_tile<T>, width_);
  }
  void advance() override {
    const Split split = split_into(this->p_.n, width_, 1);
    shared_tile<T><<<unsigned(split.tiles), unsigned(width_), 0, this->stream_>>>(
        this->samples_.data(), LibraryTerm<T>(this->p_.bandwidth), split,
        Sink<T>{this->density_.data(), nullptr, this->p_.n, this->p_.norm()});
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  int width_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_shared_tile() { return with_factories<cuda::SharedTile>(cuda::block_width_entry()); }

}  // namespace parity::kde
