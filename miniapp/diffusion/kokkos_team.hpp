// SPDX-License-Identifier: BSD-3-Clause
// What the team variants share: scratch views and the choice of a scratch level.
#pragma once
#include "diffusion/kokkos_field.hpp"

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

/// Room to ask for so that an aligned piece of n values fits.
template <class T>
constexpr std::int64_t scratch_bytes(std::int64_t n) {
  return n * std::int64_t(sizeof(T)) + 64;
}

/// Team and vector sizes within what the backend allows: Kokkos' host backends run teams of one thread here.
inline int team_size(int wanted) { return compat::exec_is_device() ? wanted : 1; }
inline int vector_length() {
  return compat::exec_is_device() ? std::min(32, TeamPolicy::vector_length_max()) : 1;
}

}  // namespace parity::diffusion
