// SPDX-License-Identifier: BSD-3-Clause
// A barrier for all teams of a launch, which Kokkos lacks: a counter that every team increments and polls.
// All teams must be resident at the same time, or they deadlock; LaunchBounds guarantees how many are.
#pragma once
#include <thread>

#include "host_device.hpp"
#include "kokkos_compat.hpp"

namespace parity::compat {

/// Number of resident teams if a policy's LaunchBounds guarantee 'promised' per multiprocessor and no other
/// program uses the GPU; on a host one team of one for each thread.
inline int teams_resident(const Exec& exec, int promised) {
  return exec_is_device() ? multiprocessors(exec) * promised : concurrency(exec);
}

class GridBarrier {
 public:
  /// counter: one word of the execution space's memory, 0 before the first pass. 'teams' is fixed.
  GridBarrier(unsigned* counter, int teams) : counter_(counter), teams_(unsigned(teams)) {}

  /// k: number of passes since the counter was 0, over all launches. Writes of any team before the pass are
  /// visible to all teams after it.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void pass(const Team& team, unsigned k) const {
    team.team_barrier();
    if (team.team_rank() == 0) {
      Kokkos::memory_fence();
      Kokkos::atomic_fetch_add(counter_, 1u);
      const unsigned all = (k + 1) * teams_;
      // The difference stays right when the counter overflows.
#if defined(PARITY_ON_GPU)
      while (int(*static_cast<const volatile unsigned*>(counter_) - all) < 0) {
      }
#else
      while (int(__atomic_load_n(counter_, __ATOMIC_ACQUIRE) - all) < 0) std::this_thread::yield();
#endif
      Kokkos::memory_fence();
    }
    team.team_barrier();
  }

 private:
  unsigned* counter_;
  unsigned teams_;
};

}  // namespace parity::compat
