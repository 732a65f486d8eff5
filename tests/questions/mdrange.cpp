// SPDX-License-Identifier: BSD-3-Clause
// Kokkos issue 8652. A five-point sum on the host, as plain loops, as a range over rows with an inner loop,
// and as an MDRange whose functor takes the indices as int, or as the 64-bit numbers that Kokkos passes. One
// thread (OMP_NUM_THREADS=1) gives the answer for a core.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "question.hpp"

namespace parity::questions {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Read = Kokkos::View<const double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Write = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

constexpr int n = 256;  // two fields of 0.5 MB fit in a cache

/// The sum at a point; Index is the functor's argument type.
template <class Index>
struct Points {
  Read in;
  Write out;
  KOKKOS_FUNCTION void operator()(Index j, Index i) const {
    out(j, i) = in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1) - 4.0 * in(j, i);
  }
};

/// The sums of a row, in a loop inside the functor.
struct Rows {
  Read in;
  Write out;
  KOKKOS_FUNCTION void operator()(int j) const {
    for (int i = 1; i <= n; ++i)
      out(j, i) = in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1) - 4.0 * in(j, i);
  }
};

void plain_loops(const double* in, double* out) {
  constexpr std::ptrdiff_t pitch = n + 2;
  for (std::ptrdiff_t j = 1; j <= n; ++j)
    for (std::ptrdiff_t i = 1; i <= n; ++i) {
      const double* const p = in + j * pitch + i;
      out[j * pitch + i] = p[-pitch] + p[pitch] + p[-1] + p[1] - 4.0 * p[0];
    }
}

/// The shortest of several times of f, in ns per point.
template <class F>
double nanoseconds(const F& f) {
  double best = 1e30;
  for (int repeat = 0; repeat < 9; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 20; ++k) f();
    best = std::min(
        best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return best / 20 / (double(n) * n);
}

struct Table {
  Read in;
  Write out;
  double loops = 0;
  int wrong = 0;
  Table() {
    const Write field("in", n + 2, n + 2);
    for (int j = 0; j < n + 2; ++j)
      for (int i = 0; i < n + 2; ++i) field(j, i) = std::sin(3.0 * i) * std::cos(5.0 * j);
    in = field;
    out = Write("out", n + 2, n + 2);
  }
  /// Prints the time of one form, and compares every point with its sum.
  template <class F>
  void line(const char* form, const char* arguments, const F& f) {
    Kokkos::deep_copy(out, std::nan(""));
    const double ns = nanoseconds(f);
    if (loops == 0) loops = ns;
    double error = 0;
    for (int j = 1; j <= n; ++j)
      for (int i = 1; i <= n; ++i) {
        const double exact = in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1) - 4.0 * in(j, i);
        error = std::fmax(error, std::isnan(out(j, i)) ? 1 : std::fabs(out(j, i) - exact));
      }
    const bool passed = error <= 1e-14;
    if (!passed) ++wrong;
    std::printf("%-22s  %-9s  %8.3f  %7.2f  %s\n", form, arguments, ns, loops / ns, passed ? "ok" : "WRONG");
  }
  template <class Policy, class Functor>
  void kokkos(const char* form, const char* arguments, const Policy& policy, const Functor& functor) {
    line(form, arguments, [&] {
      Kokkos::parallel_for("parity::questions::sums", policy, functor);
      Host().fence();
    });
  }
};

}  // namespace

Answer mdrange() {
  using Square = Kokkos::MDRangePolicy<Host, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  Table t;
  std::printf("%d host threads, %d x %d points\n", Host().concurrency(), n, n);
  std::printf("form                    indices    ns/point  speed against loops\n");
  t.line("loops, one thread", "", [&] { plain_loops(t.in.data(), t.out.data()); });
  t.kokkos("Range over rows", "int", Kokkos::RangePolicy<Host>(1, n + 1), Rows{t.in, t.out});
  for (const int height : {1, 16}) {
    const Square square({1, 1}, {n + 1, n + 1}, {height, n});
    char form[32];
    std::snprintf(form, sizeof form, "MDRange, tile %d x %d", height, n);
    t.kokkos(form, "int", square, Points<int>{t.in, t.out});
    t.kokkos(form, "int64", square, Points<std::int64_t>{t.in, t.out});
  }
  return t.wrong > 0 ? Answer::fault : Answer::fine;
}

}  // namespace parity::questions
