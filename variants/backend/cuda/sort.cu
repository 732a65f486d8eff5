// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/sort.hpp"

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include "check.cuh"

namespace parity::runtime {
namespace {

template <class T>
void sort_any(const T* values, T* sorted, int* places, std::int64_t n, void* stream) {
  const auto on = thrust::cuda::par.on(static_cast<cudaStream_t>(stream));
  PARITY_CUDA(cudaMemcpyAsync(sorted, values, std::size_t(n) * sizeof(T), cudaMemcpyDeviceToDevice,
                              static_cast<cudaStream_t>(stream)));
  const thrust::device_ptr<T> keys(sorted);
  const thrust::device_ptr<int> indices(places);
  thrust::sequence(on, indices, indices + n);
  thrust::sort_by_key(on, keys, keys + n, indices);
}

}  // namespace

void sort_with_places(const float* values, float* sorted, int* places, std::int64_t n, void* stream) {
  sort_any(values, sorted, places, n, stream);
}
void sort_with_places(const double* values, double* sorted, int* places, std::int64_t n, void* stream) {
  sort_any(values, sorted, places, n, stream);
}

}  // namespace parity::runtime
