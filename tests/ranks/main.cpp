// SPDX-License-Identifier: BSD-3-Clause
// The tests of this folder on every rank that mpirun started. With one argument more, rank 1 fails in that
// way while the others wait for it.
#include <gtest/gtest.h>

#include <cstring>
#include <new>

#include "kokkos_compat.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"

namespace {

using namespace parity::runtime;

void fail() {
  if (place().rank == 1) throw std::bad_alloc();
}

int fail_in(const char* way) {
  try {
    if (std::strcmp(way, "agreed") == 0) agreed(fail);
    linked([] {
      fail();
      barrier();
    });
  } catch (const Error& e) {
    if (place().rank == 0) std::fprintf(stderr, "parity: %s\n", e.what());
    return e.code();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const RanksScope ranks;
  if (argc > 1) return fail_in(argv[1]);
  const parity::compat::KokkosScope kokkos;
  return RUN_ALL_TESTS();
}
