// SPDX-License-Identifier: BSD-3-Clause
// What mpirun or srun says in the environment of a process that it starts.
#pragma once
#include <cstdlib>

namespace parity::runtime {

struct Launched {
  int rank = 0, ranks = 1;
};

/// As Open MPI, what speaks PMI (MPICH, Intel MPI, srun) and PALS (Cray) tell; one rank where nobody does.
inline Launched launched_by_environment() {
  constexpr const char* names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                      {"PMI_RANK", "PMI_SIZE"},
                                      {"PALS_RANKID", "PALS_NRANKS"},
                                      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank, ranks] : names) {
    const char *const r = std::getenv(rank), *const n = std::getenv(ranks);
    if (r && n && std::atoi(n) > 0) return {std::atoi(r), std::atoi(n)};
  }
  return {};
}

}  // namespace parity::runtime
