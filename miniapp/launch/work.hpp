// SPDX-License-Identifier: BSD-3-Clause
// The work of one event (a launch, a node, a pass of a barrier). All variants share this code, so that they
// differ only in how they launch.
#pragma once
#include <time.h>

#include <cstdint>
#include <type_traits>

#include "host_device.hpp"

namespace parity::launch {

enum class Kind { none, wait, copy };

/// One event's work. Kind::none launches a kernel without any code.
struct Work {
  Kind kind = Kind::none;
  int units = 0;                   ///< wait units of the first thread
  std::int64_t unit_ticks = 0;     ///< ticks of a unit that spins
  unsigned sleep_nanoseconds = 0;  ///< above 0: a unit is one nanosleep (compute capability 7.0)
  std::int64_t extra_ticks = 0;    ///< an additional known delay, for the checks
  int* count = nullptr;            ///< counter that the event increments at its end; may be null
  const float* from = nullptr;     ///< source of a copy
  float* to = nullptr;             ///< destination of a copy
  std::int64_t words = 0;          ///< words of a copy, a multiple of four

  bool operator==(const Work& o) const {
    return kind == o.kind && units == o.units && unit_ticks == o.unit_ticks &&
           sleep_nanoseconds == o.sleep_nanoseconds && extra_ticks == o.extra_ticks && count == o.count &&
           from == o.from && to == o.to && words == o.words;
  }
};

/// Nanoseconds of a clock that no time service adjusts: a delay must not share the clock that times it.
inline std::int64_t raw_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return std::int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

/// Ticks: clock64 on a device, nanoseconds on a host.
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

/// Work of every thread.
template <Kind kind>
PARITY_INLINE void compute([[maybe_unused]] const Work& w, [[maybe_unused]] std::int64_t thread) {
  if constexpr (kind == Kind::copy) {
    // Reaching the memory's bandwidth takes sixteen bytes per thread.
    struct alignas(16) Pack {
      float value[4];
    };
    if (4 * thread < w.words)
      reinterpret_cast<Pack*>(w.to)[thread] = reinterpret_cast<const Pack*>(w.from)[thread];
  }
}

/// Work of the first thread only, so that the time does not depend on the grid.
template <Kind kind>
PARITY_INLINE void wait_units(const Work& w) {
  if constexpr (kind == Kind::wait) {  // nvcc 12.4 drops the line after the loop if these braces are missing
    for (int u = 0; u < w.units; ++u) {
      if (w.sleep_nanoseconds > 0)
        sleep_once(w.sleep_nanoseconds);
      else
        spin(w.unit_ticks);
    }
  }
  if (w.extra_ticks > 0) spin(w.extra_ticks);
}

/// Events run one after the other, so a plain increment counts them.
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

/// Additional bytes of a launch's arguments; an empty struct for 0.
template <int bytes>
struct Argument {
  unsigned char data[bytes];
};
template <>
struct Argument<0> {};

/// Padding of a launch with 'bytes' of arguments: a Work, one more word and the padding have that size.
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
