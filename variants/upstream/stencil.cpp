// SPDX-License-Identifier: BSD-3-Clause
// Times a 13-point stencil on 64 planes (k, j, i) of 512 x 512 floats by layout, index order and index type:
//   g++ -O3 -march=native -fopenmp -std=c++20 -I$K/include stencil.cpp -L$K/lib -lkokkoscore -ldl
#include <Kokkos_Core.hpp>
#include <cstdio>
namespace K = Kokkos;
using Right = K::View<float***, K::LayoutRight>;
template <class V, class I, bool x_first = false>
struct Step {
  V f = V("in", 64, 516, 516), out = V("out", 64, 516, 516);
  KOKKOS_FUNCTION void operator()(I a, I j, I b) const {
    const I k = x_first ? b : a, i = x_first ? a : b;
    const float near = f(k, j - 1, i) + f(k, j + 1, i) + f(k, j, i - 1) + f(k, j, i + 1),
                diagonal = f(k, j - 1, i - 1) + f(k, j - 1, i + 1) + f(k, j + 1, i - 1) + f(k, j + 1, i + 1),
                far = f(k, j - 2, i) + f(k, j + 2, i) + f(k, j, i - 2) + f(k, j, i + 2);
    out(k, j, i) = f(k, j, i) - 0.03F * (20 * f(k, j, i) - 8 * near + 2 * diagonal + far);
  }
};
template <class Policy, class Functor>
void time(const char* how, const Policy& policy, const Functor& step) {
  double best = 1e9;
  for (int sample = 0; sample < 20; ++sample) {
    const K::Timer timer;
    K::parallel_for(policy, step), K::fence();
    best = std::fmin(best, timer.seconds());
  }
  std::printf("%-42s %7.2f Gpt/s\n", how, 64 * 512 * 512e-9 / best);
}
int main() {
  const K::ScopeGuard kokkos;
  const K::MDRangePolicy<K::Rank<3>> any({0, 2, 2}, {64, 514, 514});
  const K::MDRangePolicy<K::Rank<3, K::Iterate::Right, K::Iterate::Right>> right({0, 2, 2}, {64, 514, 514});
  const K::MDRangePolicy<K::Rank<3, K::Iterate::Left, K::Iterate::Left>> tile({2, 2, 0}, {514, 514, 64},
                                                                              {128, 2, 1});
  time("LayoutRight, default iteration, int", any, Step<Right, int>());
  time("default layout and iteration, int", any, Step<K::View<float***>, int>());
  time("LayoutRight, Iterate::Right, int", right, Step<Right, int>());
  time("LayoutRight, Iterate::Right, long", right, Step<Right, long>());
  time("LayoutRight, x first, tile of 128 x 2, int", tile, Step<Right, int, true>());
}
