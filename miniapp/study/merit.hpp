// SPDX-License-Identifier: BSD-3-Clause
// Figures of merit: what a monitoring system keeps of a run, one number each, under names that stay the same.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace parity::study {

struct Merit {
  std::string name;     ///< study/variant[/tuning]
  std::string problem;  ///< nx=128,ny=128,...: every parameter, in alphabetical order, without spaces
  std::string metric;   ///< "throughput", "time", or "ratio:TWIN"
  double value = 0;
  std::string unit;  ///< Gpt/s (grid points a step), Gpair/s, us; 1 for ratios
};

struct Merits {
  std::vector<Merit> figures;
  int verified = 0, wrong = 0;  ///< rows
};

/// The figures of records: each verified row's throughput (diffusion: 1e9 points and steps a second; kde: 1e9
/// ordered pairs a second) or time (launch: microseconds), from median host times; and for each portable
/// kernel with a native twin measured by the same run on the same problem with the same mechanism, the twin's
/// time over its own (best tuning of each; above 1 the portable one is faster).
Merits merits_of(const std::vector<nlohmann::json>& records);

}  // namespace parity::study
