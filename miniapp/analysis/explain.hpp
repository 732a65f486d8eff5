// SPDX-License-Identifier: BSD-3-Clause
// Splits measured times of the other studies into launches, bytes and instructions.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/costs.hpp"

namespace parity::analysis {

/// Warp instructions (on the host: operations) a point and step, by "kernel/tuning precision" and, for every
/// tuning without a line of its own, by "kernel precision".
using Instructions = std::map<std::string, double>;

/// Reads a CSV file with the columns kernel, tuning, precision, instructions_per_point. Throws
/// runtime::UsageError.
Instructions read_instructions(const std::string& path);

/// One measured row, in seconds of one sample.
struct Explained {
  std::string study, name, problem, mechanism, precision;
  double measured = 0;
  double launches = 0;      ///< host or device cost of launching, whichever is slower, beyond the work
  double bytes = 0;         ///< main-memory (or cache) traffic at the measured bandwidth
  double instructions = 0;  ///< at the measured issue rate, or exponentials at theirs
  double plain_sum = 0;     ///< launches x host overhead + bytes + instructions, nothing overlapping
  bool instructions_known = false;  ///< whether that term stands for anything
  double modelled() const { return launches + bytes + instructions; }
  /// The part of the measured time that no term stands for; below zero where the terms are more than it.
  double rest_share() const { return 1 - modelled() / measured; }
};

/// nullopt for a row that is none of the diffusion or KDE study, has failed, or ran elsewhere (CuPy, the
/// reference).
std::optional<Explained> explain(const harness::Measurement& row, const Costs& costs,
                                 const Instructions& instructions);

/// Time of a diffusion step on a small grid, by launches and bytes a step: copying kernels that move what the
/// original work's baseline (16 launches, 33 words a point) and its best kernel (1 launch, 2 words) move.
struct Factorial {
  std::int64_t n = 0;  ///< n x n x 64, float
  bool graph = false;
  double many_launches_many_bytes = 0, many_launches_few_bytes = 0, few_launches_many_bytes = 0,
         few_launches_few_bytes = 0;
  /// What fewer launches save, averaged over both amounts of bytes; and the reverse.
  double by_launches() const {
    return 0.5 * (many_launches_many_bytes - few_launches_many_bytes + many_launches_few_bytes -
                  few_launches_few_bytes);
  }
  double by_bytes() const {
    return 0.5 * (many_launches_many_bytes - many_launches_few_bytes + few_launches_many_bytes -
                  few_launches_few_bytes);
  }
};
Factorial factorial_of(const FamilyCosts& costs, std::int64_t n, bool graph);

/// One line of the guide: a step of kernels of this duration, in seconds.
struct Advice {
  double kernel = 0;  ///< what a kernel takes by itself
  int kernels = 0;    ///< of a step
  double stream = 0, graph = 0, dependent = 0, barrier = 0, fused = 0;
  double break_even = 0;  ///< steps from which the graph's setup pays
};
Advice advice_for(const Costs& costs, const FamilyCosts& family, double kernel_seconds, int kernels);

}  // namespace parity::analysis
