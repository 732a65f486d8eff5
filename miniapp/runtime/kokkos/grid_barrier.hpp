// SPDX-License-Identifier: BSD-3-Clause
// A barrier for all teams of a launch, which Kokkos has no words for: a counter that every team increments
// and watches. All teams must be at work at the same time, or they wait for ever; LaunchBounds promises how
// many are.
#pragma once
#include <thread>

#include "host_device.hpp"
#include "kokkos_compat.hpp"

namespace parity::compat {

/// The teams that run at the same time where a policy's LaunchBounds promise 'promised' on a multiprocessor,
/// on a GPU that nobody else uses; on a host as many as there are threads, in teams of one.
inline int teams_resident(const Exec& exec, int promised) {
  return exec_is_device() ? multiprocessors(exec) * promised : concurrency(exec);
}

class GridBarrier {
 public:
  /// counter: one word of the execution space's memory, 0 before the first pass; as many teams for all
  /// passes.
  GridBarrier(unsigned* counter, int teams) : counter_(counter), teams_(unsigned(teams)) {}

  /// The k-th pass of every team since the counter was 0, from 0, whichever launch it is in. What any team
  /// wrote before it, all teams read after it.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void pass(const Team& team, unsigned k) const {
    team.team_barrier();
    if (team.team_rank() == 0) {
      Kokkos::memory_fence();
      Kokkos::atomic_fetch_add(counter_, 1u);
      const unsigned all = (k + 1) * teams_;
      // The difference stays right when the counter runs over.
      while (int(*static_cast<const volatile unsigned*>(counter_) - all) < 0) {
#if !defined(PARITY_ON_GPU)
        std::this_thread::yield();
#endif
      }
      Kokkos::memory_fence();
    }
    team.team_barrier();
  }

 private:
  unsigned* counter_;
  unsigned teams_;
};

}  // namespace parity::compat
