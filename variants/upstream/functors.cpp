// SPDX-License-Identifier: BSD-3-Clause
// Times launches by the functor's size and hint: 1000 back to back, and a call while a kernel of about 20 ms
// runs. nvcc_wrapper -O3 -std=c++20 -I$K/include functors.cpp -L$K/lib -lkokkoscore -ldl
#include <Kokkos_Core.hpp>
#include <cstdio>
using Hint = Kokkos::Experimental::WorkItemProperty;
template <int bytes>
struct Functor {
  char payload[bytes - sizeof(int)];
  int rounds = 0;
  KOKKOS_FUNCTION void operator()(int) const {
    double x = 1;
    for (int n = 0; n < rounds; ++n) x = x * 0.5 + 1;
    if (x < 1) Kokkos::abort("never");
  }
};
template <int bytes, class Property>
void time(const char* hint, Property property) {
  const auto policy = Kokkos::Experimental::require(Kokkos::RangePolicy<>(0, 1), property);
  const Functor<bytes> empty{}, busy{{}, 5'000'000};
  double line = 1, behind = 1;
  for (int sample = 0; sample < 5; ++sample) {
    Kokkos::fence();
    Kokkos::Timer timer;
    for (int n = 0; n < 1000; ++n) Kokkos::parallel_for(policy, empty);
    Kokkos::fence();
    line = std::fmin(line, timer.seconds() / 1000);
    Kokkos::parallel_for(policy, busy);
    timer.reset();
    Kokkos::parallel_for(policy, empty);
    behind = std::fmin(behind, timer.seconds());
  }
  std::printf("%6d bytes, %-5s %6.2f us a launch, %8.2f us behind\n", bytes, hint, 1e6 * line, 1e6 * behind);
}
int main() {
  const Kokkos::ScopeGuard kokkos;
  time<64>("none", Hint::None), time<448>("none", Hint::None), time<512>("none", Hint::None);
  time<512>("light", Hint::HintLightWeight), time<512>("heavy", Hint::HintHeavyWeight);
  time<3968>("none", Hint::None), time<16384>("none", Hint::None);
}
