// SPDX-License-Identifier: BSD-3-Clause
// Runs the text of CUDA kernels on a host, one thread after the other, for a test of what they compute.
//
// A kernel may have one barrier. Each block runs twice: up to the barrier, then all of it, so that what
// threads put into shared memory is there. What comes before a barrier must therefore not depend on what
// comes after.
#pragma once
#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <utility>

#define __global__
#define __shared__ static
#define __restrict__ __restrict

struct Place {
  int x = 0, y = 0, z = 0;
};
static Place threadIdx, blockIdx, blockDim, gridDim;
static bool before_barrier = false;
static std::jmp_buf at_barrier;
inline void __syncthreads() {
  if (before_barrier) std::longjmp(at_barrier, 1);
}

template <class Call>
void run_blocks(const int* shape, const Call& call) {
  gridDim = {shape[0], shape[1], shape[2]};
  blockDim = {shape[3], shape[4], shape[5]};
  for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) call();
}
template <class Call>
void run_threads(const Call& call) {
  for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y)
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
      if (setjmp(at_barrier) == 0) call();
}

/// shape: grid x, y, z, block x, y, z. barriers: whether the kernel has one. arguments: addresses of its own.
template <class... A, std::size_t... I>
void launch(void (*kernel)(A...), const int* shape, bool barriers, void** arguments,
            std::index_sequence<I...>) {
  const auto call = [&] { kernel(*static_cast<std::remove_reference_t<A>*>(arguments[I])...); };
  run_blocks(shape, [&] {
    before_barrier = barriers;
    if (barriers) run_threads(call);
    before_barrier = false;
    run_threads(call);
  });
}
template <class... A>
void launch(void (*kernel)(A...), const int* shape, bool barriers, void** arguments) {
  launch(kernel, shape, barriers, arguments, std::index_sequence_for<A...>());
}
