// SPDX-License-Identifier: BSD-3-Clause
// What one event (a launch, a node, a pass of a barrier) does besides being one. The same code in every
// variant, so that their differences are launching and nothing else.
#pragma once
#include <time.h>

#include <cstdint>
#include <type_traits>

#include "host_device.hpp"

namespace parity::launch {

enum class Kind { none, wait, copy };

/// One event's work. Without work (Kind::none) a kernel is launched that has no code at all.
struct Work {
  Kind kind = Kind::none;
  int units = 0;                   ///< wait units of the first thread
  std::int64_t unit_ticks = 0;     ///< ticks of a unit that spins
  unsigned sleep_nanoseconds = 0;  ///< above 0: a unit is one nanosleep instead (compute capability 7.0)
  std::int64_t extra_ticks = 0;    ///< a known delay on top, for the checks
  int* count = nullptr;            ///< what the event increments when it is over; may be null
  const float* from = nullptr;     ///< what a copy reads
  float* to = nullptr;             ///< what everything but a wait writes
  std::int64_t words = 0;          ///< words of a copy, a multiple of four

  bool operator==(const Work& o) const {
    return kind == o.kind && units == o.units && unit_ticks == o.unit_ticks &&
           sleep_nanoseconds == o.sleep_nanoseconds && extra_ticks == o.extra_ticks && count == o.count &&
           from == o.from && to == o.to && words == o.words;
  }
};

/// Nanoseconds of the counter that no time service slews: a delay must not share the clock that times it.
inline std::int64_t raw_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return std::int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

/// Ticks of a device are those of clock64, ticks of a host nanoseconds.
PARITY_INLINE std::int64_t ticks_now() {
#if defined(PARITY_ON_GPU)
  return std::int64_t(clock64());
#else
  return raw_nanoseconds();
#endif
}

PARITY_INLINE void spin(std::int64_t ticks) {
  const std::int64_t start = ticks_now();
  while (ticks_now() - start < ticks) {
  }
}

PARITY_INLINE void sleep_once([[maybe_unused]] unsigned nanoseconds) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __nanosleep(nanoseconds);
#endif
}

/// What every thread does.
template <Kind kind>
PARITY_INLINE void compute([[maybe_unused]] const Work& w, [[maybe_unused]] std::int64_t thread) {
  if constexpr (kind == Kind::copy) {
    // Sixteen bytes a thread: what it takes to reach a memory's bandwidth.
    struct alignas(16) Pack {
      float value[4];
    };
    if (4 * thread < w.words)
      reinterpret_cast<Pack*>(w.to)[thread] = reinterpret_cast<const Pack*>(w.from)[thread];
  }
}

/// What only the first thread does, so that the time does not depend on the grid.
template <Kind kind>
PARITY_INLINE void wait_units(const Work& w) {
  if constexpr (kind == Kind::wait) {  // without braces nvcc 12.4 drops the line after the loop, too
    for (int u = 0; u < w.units; ++u) {
      if (w.sleep_nanoseconds > 0)
        sleep_once(w.sleep_nanoseconds);
      else
        spin(w.unit_ticks);
    }
  }
  if (w.extra_ticks > 0) spin(w.extra_ticks);
}

/// Events run one after the other, so that a plain increment counts them.
PARITY_INLINE void count_event(const Work& w) {
  if (!w.count) return;
  volatile int* const count = w.count;
  *count = *count + 1;
}

template <Kind kind>
PARITY_INLINE void perform(const Work& w, std::int64_t thread) {
  compute<kind>(w, thread);
  if (thread != 0) return;
  wait_units<kind>(w);
  count_event(w);
}

/// Bytes that a launch carries besides its work; without bytes nothing at all.
template <int bytes>
struct Argument {
  unsigned char data[bytes];
};
template <>
struct Argument<0> {};

/// What a launch of 'bytes' carries besides a Work and one more word, so that both together have the size.
template <int bytes>
using Remainder = Argument<(bytes > int(sizeof(Work)) + 8 ? bytes - int(sizeof(Work)) - 8 : 0)>;

/// Calls f(std::integral_constant<int, size>) for one of argument_sizes() up to 'most'.
template <int most, class F>
void with_argument(int size, const F& f) {
  const auto one = [&](auto bytes) {
    if constexpr (bytes() <= most) {
      if (size == bytes()) f(bytes);
    }
  };
  one(std::integral_constant<int, 0>());
  one(std::integral_constant<int, 64>());
  one(std::integral_constant<int, 256>());
  one(std::integral_constant<int, 448>());
  one(std::integral_constant<int, 512>());
  one(std::integral_constant<int, 1024>());
  one(std::integral_constant<int, 3968>());
  one(std::integral_constant<int, 16384>());
  one(std::integral_constant<int, 40960>());
}

/// Calls f(std::integral_constant<Kind, kind>) for a kind other than none.
template <class F>
void with_kind(Kind kind, const F& f) {
  switch (kind) {
    case Kind::none:
      break;
    case Kind::wait:
      return f(std::integral_constant<Kind, Kind::wait>());
    case Kind::copy:
      return f(std::integral_constant<Kind, Kind::copy>());
  }
}

}  // namespace parity::launch
