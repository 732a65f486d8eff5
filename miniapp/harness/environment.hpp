// SPDX-License-Identifier: BSD-3-Clause
// What a reader of the records needs to know about where they come from.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::harness {

/// One opens the rows of every run.
struct Environment {
  RunIdentity run;
  std::string time, slice;
  bool portable_on_gpu = false;  ///< whether Kokkos ran on a GPU
  bool complete = false;         ///< written by parity itself, not by a script beside it
  std::string gpu, cpu, threads, kokkos, compilers;
  std::string ranks;        ///< "4, Open MPI v4.1.4": how many, and whose messages; empty for one
  int multiprocessors = 0;  ///< of the GPU; 0 without one
  std::string gpu_uuid;     ///< one GPU's own; empty without one, and in records of before
  /// Everything for a reader: what it is and what it was.
  std::vector<std::pair<std::string, std::string>> lines;
  std::string text;  ///< the record itself
};

/// Commit, compilers, flags, Kokkos, GPU, CPU, threads, SLURM job of this run; its identity is the same in
/// every call.
Environment this_environment(const std::string& slice = "");

/// Of this start of the program; no other has it.
const std::string& process_name();

/// What goes on with the run that has this identity.
Environment of_run(const Environment& environment, const std::string& id);

nlohmann::json to_json(const Environment& environment);
/// From a record; id: of the run where the record has none. Throws runtime::UsageError naming the field,
/// after 'where'.
Environment environment_of(const nlohmann::json& record, const std::string& id,
                           const std::string& where = "");

/// With what a process computes, in a line: "2 OpenMP threads, bound close; Kokkos on OpenMP; no GPU".
std::string machine_text(const Environment& environment);

/// Several lines for 'parity --version'.
std::string version_text();

}  // namespace parity::harness
