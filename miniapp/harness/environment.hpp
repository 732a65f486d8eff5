// SPDX-License-Identifier: BSD-3-Clause
// The environment of a run: what a reader of its records needs to know.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::harness {

/// The header that precedes the results of every run.
struct Environment {
  RunIdentity run;
  std::string time, slice;
  bool portable_on_gpu = false;  ///< true if Kokkos ran on a GPU
  bool complete = false;         ///< written by parity itself, not by a script
  std::string gpu, cpu, threads, kokkos, compilers;
  std::string ranks;        ///< number of ranks and MPI library: "4, Open MPI v4.1.4"; empty for one
  int multiprocessors = 0;  ///< of the GPU; 0 without one
  std::string gpu_uuid;     ///< empty without a GPU, and in older records
  /// Label and text pairs for a reader.
  std::vector<std::pair<std::string, std::string>> lines;
  std::string text;  ///< the record itself
};

/// Commit, compilers, flags, Kokkos, GPU, CPU, threads and SLURM job of this run. Every call returns the same
/// identity.
Environment this_environment(const std::string& slice = "");

/// A unique name of this process.
const std::string& process_name();

/// The environment with the identity of the run that it continues.
Environment of_run(const Environment& environment, const std::string& id);

nlohmann::json to_json(const Environment& environment);
/// Reads a record; 'id' completes the run's identity if the record has none. Throws runtime::UsageError
/// naming the field, after 'where'.
Environment environment_of(const nlohmann::json& record, const std::string& id,
                           const std::string& where = "");

/// A process's computing resources: "2 OpenMP threads, bound close; Kokkos on OpenMP; no GPU".
std::string machine_text(const Environment& environment);

/// Several lines for 'parity --version'.
std::string version_text();

}  // namespace parity::harness
