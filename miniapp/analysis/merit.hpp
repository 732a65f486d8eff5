// SPDX-License-Identifier: BSD-3-Clause
// Figures of merit: what a monitoring system keeps of a run, one number each, under names that stay the same.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

struct Merit {
  std::string name;     ///< study/variant[/tuning], or study/idiomatic and study/best-portable
  std::string problem;  ///< nx=128,ny=128,...: every parameter, in alphabetical order, without spaces
  std::string metric;   ///< "throughput", "time", or of a pair "ratio:TWIN" with "ratio_low:", "ratio_high:",
                        ///< "samples:"; of a column of portable rows "portability" (see portability.hpp) with
                        ///< "efficiency:PLATFORM" and "pairs:PLATFORM", spaces as underscores
  double value = 0;
  std::string unit;
};

struct Merits {
  std::vector<Merit> figures;
  int verified = 0, wrong = 0;  ///< rows
};

/// The first metric of each verified row, each pair's ratio with its interval and number of samples, and the
/// performance portability of each study with what it is made of.
Merits merits_of(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis
