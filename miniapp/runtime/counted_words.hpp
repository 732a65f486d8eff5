// SPDX-License-Identifier: BSD-3-Clause
// Values that one thread hands to another that runs at the same time, in whichever team: each word of 64 bits
// holds 32 bits of value and a count, and is written and read as one. Who finds the count has the value:
// there is no fence, no flag and no barrier to wait for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "host_device.hpp"

namespace parity::runtime {

using CountedWord = unsigned long long;

/// Words of a value.
template <class T>
constexpr int counted_words = int(sizeof(T)) / 4;

/// The words of a value lie 'stride' apart.
template <class T>
PARITY_INLINE void put_counted(CountedWord* to, std::ptrdiff_t stride, T value, std::uint32_t count) {
  std::uint32_t bits[counted_words<T>];
  memcpy(bits, &value, sizeof(T));
  PARITY_UNROLL
  for (int w = 0; w < counted_words<T>; ++w) {
    const CountedWord word = CountedWord(count) << 32 | bits[w];
#if defined(__CUDA_ARCH__)
    *static_cast<volatile CountedWord*>(to + w * stride) = word;
#else
    __atomic_store_n(to + w * stride, word, __ATOMIC_RELAXED);
#endif
  }
}

/// Whether the value with that count was there; 'value' has whatever was.
template <class T>
PARITY_INLINE bool get_counted(const CountedWord* from, std::ptrdiff_t stride, T& value,
                               std::uint32_t count) {
  std::uint32_t bits[counted_words<T>];
  bool there = true;
  PARITY_UNROLL
  for (int w = 0; w < counted_words<T>; ++w) {
#if defined(__CUDA_ARCH__)
    const CountedWord word = *static_cast<const volatile CountedWord*>(from + w * stride);
#else
    const CountedWord word = __atomic_load_n(from + w * stride, __ATOMIC_RELAXED);
#endif
    bits[w] = std::uint32_t(word);
    there = there && std::uint32_t(word >> 32) == count;
  }
  memcpy(&value, bits, sizeof(T));
  return there;
}

}  // namespace parity::runtime
