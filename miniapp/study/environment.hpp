// SPDX-License-Identifier: BSD-3-Clause
// What a reader of the records needs to know about where they come from.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace parity::study {

/// Several lines for 'parity --version'.
std::string version_text();

/// Commit, compilers, flags, Kokkos, GPU, CPU, threads, SLURM job; one record of it opens every run.
nlohmann::json environment();

}  // namespace parity::study
