// SPDX-License-Identifier: BSD-3-Clause
// Lets one inline function serve the host compiler, nvcc, hipcc and Kokkos alike.
#pragma once
#include <cmath>
#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#if defined(__CUDACC__)
#define PARITY_INLINE __host__ __device__ __forceinline__
#elif defined(__HIPCC__)
#define PARITY_INLINE __host__ __device__ inline __attribute__((always_inline))
#else
#define PARITY_INLINE inline __attribute__((always_inline))
#endif

/// Defined while compiling GPU code, for any vendor.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define PARITY_ON_GPU
#endif

/// Before a loop whose indices must become constants on a GPU, so that its arrays stay in registers.
#if defined(PARITY_ON_GPU)
#define PARITY_UNROLL _Pragma("unroll")
#else
#define PARITY_UNROLL
#endif

/// Before a loop that a GPU should unroll n times; n may be a template argument.
#if defined(PARITY_ON_GPU)
#define PARITY_PRAGMA(text) _Pragma(#text)
#define PARITY_UNROLL_BY(n) PARITY_PRAGMA(unroll n)
#else
#define PARITY_UNROLL_BY(n)
#endif

/// Before a loop over independent lanes: vectorised on a host, unrolled into registers on a GPU.
#if defined(PARITY_ON_GPU)
#define PARITY_LANES _Pragma("unroll")
#elif defined(_OPENMP)
#define PARITY_LANES _Pragma("omp simd")
#else
#define PARITY_LANES
#endif

/// The same if the lanes add to one variable.
#if defined(PARITY_ON_GPU)
#define PARITY_LANES_SUM(variable) _Pragma("unroll")
#elif defined(_OPENMP)
#define PARITY_OMP(text) _Pragma(#text)
#define PARITY_LANES_SUM(variable) PARITY_OMP(omp simd reduction(+ : variable))
#else
#define PARITY_LANES_SUM(variable)
#endif

namespace parity {

/// a * b + c with one rounding if the hardware has FMA (a library call would cost far more than it gains).
template <class T>
PARITY_INLINE T multiply_add(T a, T b, T c) {
#if defined(PARITY_ON_GPU) || defined(__FMA__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}
#if !defined(PARITY_ON_GPU) && defined(__FMA__)
template <>
PARITY_INLINE float multiply_add<float>(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
#endif

}  // namespace parity
