// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the team variants: scratch memory, its level, and loops of a team.
#pragma once
#include "fields.hpp"

namespace parity::diffusion {

using TeamPolicy = Kokkos::TeamPolicy<Exec>;
using Team = TeamPolicy::member_type;

/// Scratch level that can hold 'bytes' for one team: 0 (on chip), 1 (memory, usually cached), or -1.
inline int scratch_level(std::int64_t bytes) {
  const TeamPolicy policy(1, 1);
  for (const int level : {0, 1})
    if (bytes <= std::int64_t(policy.scratch_size_max(level))) return level;
  return -1;
}

/// Uninitialised scratch of n values.
template <class T>
KOKKOS_INLINE_FUNCTION T* team_scratch(const Team& team, int level, std::int64_t n) {
  return static_cast<T*>(team.team_scratch(level).get_shmem_aligned(std::size_t(n) * sizeof(T), 64));
}

/// Bytes to request so that an aligned block of n values fits.
template <class T>
constexpr std::int64_t scratch_bytes(std::int64_t n) {
  return n * std::int64_t(sizeof(T)) + 64;
}

/// Team and vector sizes that the backend allows: on host backends Parity uses teams of one thread.
inline int team_size(int wanted) { return compat::exec_is_device() ? wanted : 1; }
inline int vector_length() {
  return compat::exec_is_device() ? std::min(32, TeamPolicy::vector_length_max()) : 1;
}

/// As a constant, because device code may not call exec_is_device().
constexpr bool teams_on_device = compat::exec_is_device();

/// f(i) for i in [0, n) on the vector lanes of one thread; the calls must be independent of each other.
/// f takes the index as auto: 32 bits on a GPU, 64 on the host.
/// On the host Kokkos leaves the proof to the compiler, which adds checks to every row; omp simd asserts it.
template <class F>
KOKKOS_INLINE_FUNCTION void vector_for([[maybe_unused]] const Team& team, int n, const F& f) {
  if constexpr (teams_on_device) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n), f);
  } else {
#ifdef _OPENMP
#pragma omp simd
#endif
    for (std::ptrdiff_t i = 0; i < n; ++i) f(i);  // as wide as a pointer: fewer registers for addresses
  }
}

/// Loops over rows for tuned kernels. A host team is one thread: there they are plain loops without barriers.
struct HostLoops {
  /// f(row) for rows in [first, last), shared by the team's threads.
  template <class F>
  KOKKOS_INLINE_FUNCTION static void rows([[maybe_unused]] const Team& team, int first, int last,
                                          const F& f) {
    if constexpr (teams_on_device) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), f);
    } else {
      for (int row = first; row < last; ++row) f(row);
    }
  }
  /// f() on one vector lane.
  template <class F>
  KOKKOS_INLINE_FUNCTION static void once([[maybe_unused]] const Team& team, const F& f) {
    if constexpr (teams_on_device)
      Kokkos::single(Kokkos::PerThread(team), f);
    else
      f();
  }
  KOKKOS_INLINE_FUNCTION static void barrier([[maybe_unused]] const Team& team) {
    if constexpr (teams_on_device) team.team_barrier();
  }
};

}  // namespace parity::diffusion
