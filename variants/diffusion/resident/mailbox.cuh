// SPDX-License-Identifier: BSD-3-Clause
// Two rows at a time from the warp of one block to a warp of another that is at work, through the GPU's
// memory.
//
// There are no flags beside the rows: a word that has not come yet is 'absent', a signalling NaN, which no
// arithmetic makes, so that rows take one way to the L2 cache and one back. A lane writes the words of the
// same lane there. The receiver makes words absent again once it has them. Messages take turns in 'turns'
// places, and every 'turns / 2' of them each side fences, before it writes: a place is used again after
// 'turns' messages, and two lanes of a seam are at most one message apart, so that between a word's clearing
// and its next use each side has fenced.
#pragma once
#include <cstdint>

#include "backend/cuda/diffusion/lanes.cuh"

/// How accesses are called that other multiprocessors see.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define PARITY_RELAXED "volatile"
#else
#define PARITY_RELAXED "relaxed.gpu"
#endif

namespace parity::cuda {

template <class T, int columns>
struct Mailbox {
  using A = Access<T, columns>;
  static constexpr int turns = 8, row = 32 * columns, size = turns * 2 * row;  ///< elements
  static constexpr std::uint32_t absent =
      sizeof(T) == 4 ? 0xffbfffffu : 0xfff7ffffu;  ///< of doubles the high half

  __device__ static constexpr int first(int lane) { return lane * A::width; }
  __device__ static __forceinline__ T* place(T* box, unsigned message) {
    return box + message % turns * (2 * row);
  }

  /// Row 0 or 1 of a message, in this order.
  __device__ static __forceinline__ void put(const T (&v)[columns], int which, T* box, unsigned message) {
    if (which == 0 && message % (turns / 2) == 0) __threadfence();
    T* const at = place(box, message) + which * row;
#pragma unroll
    for (int a = 0; a < A::count; ++a) write(at + a * 32 * A::width, v, a * A::width);
  }
  /// Asks for a message: what has not come is absent.
  __device__ static __forceinline__ void fetch(T (&one)[columns], T (&other)[columns], const T* box,
                                               unsigned message) {
    const T* const at = place(const_cast<T*>(box), message);
#pragma unroll
    for (int a = 0; a < A::count; ++a) {
      read(one, a * A::width, at + a * 32 * A::width);
      read(other, a * A::width, at + row + a * 32 * A::width);
    }
  }
  /// Waits for what has been asked for, the whole warp, and empties its place.
  __device__ static __forceinline__ void take(T (&one)[columns], T (&other)[columns], T* box,
                                              unsigned message) {
    while (!__all_sync(all_lanes, complete(one) && complete(other))) fetch(one, other, box, message);
    T* const at = place(box, message);
    T empty[columns];
#pragma unroll
    for (int i = 0; i < A::width; ++i) empty[i] = nothing();
#pragma unroll
    for (int a = 0; a < A::count; ++a) {
      write(at + a * 32 * A::width, empty, 0);
      write(at + row + a * 32 * A::width, empty, 0);
    }
  }
  /// Empties boxes: so many elements.
  __device__ static __forceinline__ T nothing() {
    if constexpr (sizeof(T) == 4)
      return __uint_as_float(absent);
    else
      return __hiloint2double(int(absent), int(absent));
  }

 private:
  __device__ static __forceinline__ bool complete(const T (&words)[columns]) {
    bool all = true;
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      if constexpr (sizeof(T) == 4)
        all = all && __float_as_uint(words[i]) != absent;
      else
        all = all && std::uint32_t(__double2hiint(words[i])) != absent;
    }
    return all;
  }
  // Relaxed accesses are single ones that nobody repeats, joins or keeps in a nearer cache. Words, not
  // floating-point numbers: those may be made quiet.
  __device__ static __forceinline__ void write(T* to, const T (&v)[columns], int i) {
    if constexpr (sizeof(T) == 4) {
      const auto word = [&](int n) { return __float_as_uint(v[i + n]); };
      if constexpr (A::width == 4)
        asm volatile("st." PARITY_RELAXED ".global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word(0)),
                     "r"(word(1)), "r"(word(2)), "r"(word(3))
                     : "memory");
      else if constexpr (A::width == 2)
        asm volatile("st." PARITY_RELAXED ".global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(word(0)),
                     "r"(word(1))
                     : "memory");
      else
        asm volatile("st." PARITY_RELAXED ".global.u32 [%0], %1;" ::"l"(to), "r"(word(0)) : "memory");
    } else {
      const auto word = [&](int n) { return __double_as_longlong(v[i + n]); };
      if constexpr (A::width == 2)
        asm volatile("st." PARITY_RELAXED ".global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(word(0)),
                     "l"(word(1))
                     : "memory");
      else
        asm volatile("st." PARITY_RELAXED ".global.u64 [%0], %1;" ::"l"(to), "l"(word(0)) : "memory");
    }
  }
  __device__ static __forceinline__ void read(T (&v)[columns], int i, const T* from) {
    if constexpr (sizeof(T) == 4) {
      std::uint32_t word[4] = {};
      if constexpr (A::width == 4)
        asm volatile("ld." PARITY_RELAXED ".global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                     : "l"(from)
                     : "memory");
      else if constexpr (A::width == 2)
        asm volatile("ld." PARITY_RELAXED ".global.v2.u32 {%0, %1}, [%2];"
                     : "=r"(word[0]), "=r"(word[1])
                     : "l"(from)
                     : "memory");
      else
        asm volatile("ld." PARITY_RELAXED ".global.u32 %0, [%1];" : "=r"(word[0]) : "l"(from) : "memory");
#pragma unroll
      for (int n = 0; n < A::width; ++n) v[i + n] = __uint_as_float(word[n]);
    } else {
      long long word[2] = {};
      if constexpr (A::width == 2)
        asm volatile("ld." PARITY_RELAXED ".global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(word[0]), "=l"(word[1])
                     : "l"(from)
                     : "memory");
      else
        asm volatile("ld." PARITY_RELAXED ".global.u64 %0, [%1];" : "=l"(word[0]) : "l"(from) : "memory");
#pragma unroll
      for (int n = 0; n < A::width; ++n) v[i + n] = __longlong_as_double(word[n]);
    }
  }
};

}  // namespace parity::cuda
