// SPDX-License-Identifier: BSD-3-Clause
// Kokkos issues 8300 and 2545. A kernel with a functor of this size keeps the GPU busy for 20 ms. How long
// does the next launch block its caller, on the same instance and on another one, and do kernels of two
// instances run at the same time? With and without the hint that keeps functors out of constant memory.
#include <chrono>
#include <cstdio>

#include "launch/work.hpp"
#include "question.hpp"

namespace parity::questions {
namespace {

using compat::Exec;

constexpr double hold_ms = 20;

/// Spins in one thread, and has a size of 'bytes'.
template <int bytes>
struct Hold {
  std::int64_t ticks;
  unsigned char rest[bytes - sizeof(std::int64_t)];
  KOKKOS_FUNCTION void operator()(int) const { launch::spin(ticks); }
};

double milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <bool hinted, int bytes>
void start(const Exec& exec, std::int64_t ticks) {
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>;
  const Range range(exec, 0, 1);
  if constexpr (hinted) {
    Kokkos::parallel_for(
        "parity::questions::hold",
        Kokkos::Experimental::require(range, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
        Hold<bytes>{ticks, {}});
  } else {
    Kokkos::parallel_for("parity::questions::hold", range, Hold<bytes>{ticks, {}});
  }
}

/// Ticks for this number of milliseconds, calibrated with a kernel.
std::int64_t ticks_of(const Exec& exec, double wanted_ms) {
  constexpr std::int64_t probe = 20000000;
  double ms = 0;
  for (int k = 0; k < 2; ++k) {  // the first run loads the kernel
    const double before = milliseconds();
    start<false, 64>(exec, probe);
    compat::synchronise(exec, "a kernel that waits");
    ms = milliseconds() - before;
  }
  return std::int64_t(double(probe) / ms * wanted_ms);
}

struct Streams {
  compat::OwnInstance first, second;
  const Exec &a = first.exec, &b = second.exec;
};

/// Prints a line of the table; true if a launch waited for a kernel.
template <bool hinted, int bytes>
bool line(const Streams& s, std::int64_t ticks) {
  for (const Exec* exec : {&s.a, &s.b}) start<hinted, bytes>(*exec, 1);  // loads the kernels in advance
  compat::synchronise(s.a, "a small launch");
  compat::synchronise(s.b, "a small launch");
  double call[2], both = 0;
  for (const bool other : {false, true}) {
    const Exec& next = other ? s.b : s.a;
    const double begin = milliseconds();
    start<hinted, bytes>(s.a, ticks);
    const double before = milliseconds();
    start<hinted, bytes>(next, ticks);
    call[other] = milliseconds() - before;
    compat::synchronise(s.a, "a launch");
    compat::synchronise(next, "a launch");
    both = milliseconds() - begin;
  }
  std::printf("%6d  %-15s  %14.3f  %14.3f  %16.1f\n", bytes, hinted ? "HintLightWeight" : "none", call[0],
              call[1], both);
  return call[0] > hold_ms / 2 || call[1] > hold_ms / 2 || both > 1.5 * hold_ms;
}

}  // namespace

Answer large_functors() {
  if (!compat::exec_is_device()) {
    std::printf(
        "functors are passed by reference on a host: Kokkos' default execution space is no GPU here\n");
    return Answer::cannot_run;
  }
  const Streams s;
  const std::int64_t ticks = ticks_of(s.a, hold_ms);
  std::printf(
      "ms; each kernel takes %.0f\n bytes  hint             next call, same  other instance  both, two at "
      "once\n",
      hold_ms);
  bool waits = false;
  const auto lines = [&](auto... bytes) {
    ((waits |= line<false, bytes()>(s, ticks), waits |= line<true, bytes()>(s, ticks)), ...);
  };
  lines(std::integral_constant<int, 64>(), std::integral_constant<int, 448>(),
        std::integral_constant<int, 512>(), std::integral_constant<int, 2048>(),
        std::integral_constant<int, 3968>(), std::integral_constant<int, 16384>(),
        std::integral_constant<int, 40960>());
  return waits ? Answer::fault : Answer::fine;
}

}  // namespace parity::questions
