// SPDX-License-Identifier: BSD-3-Clause
// What mpirun or srun says in the environment of a process that it starts.
#pragma once
#include <cstdlib>
#include <cstring>

namespace parity::runtime {

struct Launched {
  int rank = 0, ranks = 1;
};

/// As Open MPI, what speaks PMI (MPICH, Intel MPI, srun) and PALS (Cray) tell; one rank where nobody does,
/// and where PARITY_RANKS=0 says that the variables are of somebody else: of a shell in a job, of a script
/// under mpirun.
inline Launched launched_by_environment() {
  if (const char* const ours = std::getenv("PARITY_RANKS"); ours && std::strcmp(ours, "0") == 0) return {};
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
