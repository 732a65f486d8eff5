// SPDX-License-Identifier: BSD-3-Clause
// Runs the tests of this folder on every rank of mpirun. With arguments one rank (1, or the given one) fails
// in the given way while the others wait for it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "harness/environment.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/signals.hpp"

namespace {

using namespace parity::runtime;

int victim = 1;

void fail() {
  if (rank_info().rank == victim) throw std::bad_alloc();
}

/// Waits without checking for failures of other ranks.
void be_busy() { std::this_thread::sleep_for(std::chrono::minutes(10)); }

int fail_in(const char* way) {
  try {
    if (std::strcmp(way, "agreed") == 0) collective_or_throw(fail);
    if (std::strcmp(way, "agreed-busy") == 0)
      collective_or_throw([] {
        fail();
        be_busy();
      });
    if (std::strcmp(way, "shared-busy") == 0) {
      cannot_run_ends_all();
      collective_or_throw([] {
        if (rank_info().rank == victim) throw CannotRunError("no GPU");
        be_busy();
      });
    }
    const bool busy = std::strcmp(way, "busy") == 0;
    abort_all_on_error([busy] {
      fail();
      if (busy) be_busy();
      barrier();
    });
  } catch (const Error& e) {
    say_nothing_when_stopped();  // if the launcher stops it because of another rank's exit code
    if (rank_info().rank == 0) std::fprintf(stderr, "parity: %s\n", e.what());
    return e.code();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc > 1) catch_signals();
  const RanksScope ranks;
  if (argc > 2) victim = std::atoi(argv[2]);
  if (argc > 1) return fail_in(argv[1]);
  // An exception on one rank must not leave the others waiting for it.
  if (several_ranks()) ::testing::GTEST_FLAG(catch_exceptions) = false;
  if (const int gpus = device_count()) use_device(rank_info().rank_on_node % gpus);
  count_ranks_on_device();
  const parity::runtime::KokkosScope kokkos;
  if (rank_info().rank == 0)
    std::printf("%d ranks\n%s", rank_info().ranks, parity::harness::version_text().c_str());
  return RUN_ALL_TESTS();
}
