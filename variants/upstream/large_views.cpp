// SPDX-License-Identifier: BSD-3-Clause
// Prints the address of element (4, 0, 0) of a View of 5 GiB with unsigned and long indices; nothing is read.
// With int the same happens beyond 2 GiB, where it would overflow, which is undefined behaviour.
//   g++ -std=c++20 -fopenmp -I$K/include large_views.cpp -L$K/lib -lkokkoscore -ldl
#include <Kokkos_Core.hpp>
#include <cstdio>
int main() {
  using Bytes =
      Kokkos::View<char***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  char* const start = reinterpret_cast<char*>(std::uintptr_t(1) << 40);
  const Bytes view(start, 5, 1024, 1 << 20);
  std::printf("Kokkos %d: unsigned %td, long %td\n", KOKKOS_VERSION, &view(4U, 0U, 0U) - start,
              &view(4L, 0L, 0L) - start);
}
