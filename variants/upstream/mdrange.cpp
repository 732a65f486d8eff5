// SPDX-License-Identifier: BSD-3-Clause
// Times a 13-point stencil on a CPU: 16 planes of 512 x 512 floats, as loops and MDRanges, by index type:
//   g++ -O3 -march=native -fopenmp -std=c++20 -I$K/include mdrange.cpp -L$K/lib -lkokkoscore -ldl
#include <Kokkos_Core.hpp>
#include <cstdio>
using namespace Kokkos;
using Field = View<float***, LayoutRight, HostSpace>;
template <class I>
struct Step {
  Field f = Field("in", 16, 516, 516), out = Field("out", 16, 516, 516);
  void operator()(I k, I j, I i) const {
    const float near = f(k, j - 1, i) + f(k, j + 1, i) + f(k, j, i - 1) + f(k, j, i + 1),
                diagonal = f(k, j - 1, i - 1) + f(k, j - 1, i + 1) + f(k, j + 1, i - 1) + f(k, j + 1, i + 1),
                far = f(k, j - 2, i) + f(k, j + 2, i) + f(k, j, i - 2) + f(k, j, i + 2);
    out(k, j, i) = f(k, j, i) - 0.03F * (20 * f(k, j, i) - 8 * near + 2 * diagonal + far);
  }
  void operator()(I row) const {
    for (I i = 2; i < 514; ++i) (*this)(row / 512, 2 + row % 512, i);
  }
};
template <class Policy, class Functor>
void time(const char* how, const Policy& policy, const Functor& step) {
  double best = 1;
  for (int sample = 0; sample < 50; ++sample) {
    const Timer timer;
    parallel_for(policy, step);
    best = std::fmin(best, timer.seconds());
  }
  std::printf("%-32s %6.2f Gpt/s\n", how, 16 * 512 * 512e-9 / best);
}
int main() {
  const ScopeGuard kokkos;
  using Host = DefaultHostExecutionSpace;
  const MDRangePolicy<Host, Rank<3>> any({0, 2, 2}, {16, 514, 514});
  const MDRangePolicy<Host, Rank<3>, IndexType<int>> narrow({0, 2, 2}, {16, 514, 514});
  time("loops in a Range over rows, int", RangePolicy<Host>(0, 16 * 512), Step<int>());
  time("loops in a Range over rows, long", RangePolicy<Host>(0, 16 * 512), Step<long>());
  time("MDRange, int", any, Step<int>()), time("MDRange, long", any, Step<long>());
  time("MDRange, IndexType<int>, int", narrow, Step<int>());
}
