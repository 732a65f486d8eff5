// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-register-sum: one query a thread, its sum in a register, the library's exp, samples from global
// memory. Twin of kokkos-range.
#include "register_tile.cuh"
#include "seed.cuh"

namespace parity::cuda {
namespace {

template <class T>
__global__ void register_sum(const T* __restrict__ samples, LibraryTerm<T> term, int packs, Sink<T> sink) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= sink.n) return;
  const T q[1] = {samples[i]};
  double total[1] = {0};
  add_packs<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), packs, total);
  sink.put(0, i, total[0]);
}

template <class T>
class RegisterSum : public CudaSamples<T> {
 public:
  RegisterSum(const Problem& p, const Tuning& t) : CudaSamples<T>(p), width_(t[0]) {
    this->blocks_resident(register_sum<T>, width_);
  }
  void advance() override {
    register_sum<T><<<blocks_for(this->p_.n, width_), unsigned(width_), 0, this->stream_>>>(
        this->samples_.data(), LibraryTerm<T>(this->p_.bandwidth), int(this->samples_.size() / pack_width),
        Sink<T>{this->density_.data(), nullptr, this->p_.n, this->p_.norm()});
    PARITY_CUDA(cudaGetLastError());
  }

 private:
  int width_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_register_sum() { return with_factories<cuda::RegisterSum>(cuda::block_width_entry()); }

}  // namespace parity::kde
