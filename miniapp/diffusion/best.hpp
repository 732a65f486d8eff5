// SPDX-License-Identifier: BSD-3-Clause
// The variant that computes a problem fastest here: by what was measured on this device where there is such a
// measurement, by the variants' cost models elsewhere.
#pragma once
#include <string>
#include <vector>

#include "diffusion/study.hpp"
#include "harness/measurement.hpp"

namespace parity::diffusion {

/// A variant that can compute a problem here, and the time that it should take.
struct Expected {
  harness::Choice choice;
  double seconds = 0;
  bool measured = false;  ///< else by the model, which knows traffic, operations and launches alone
  std::string source;     ///< "measured on 8 planes, 33 steps", "model"
};

/// All that can compute the problem, floors, references and other methods apart: the measured ones by their
/// time, then the others by theirs. A measurement counts where it is right and of this device, build,
/// precision and size of plane, scaled by planes and steps. Of several tunings the fastest counts.
std::vector<Expected> candidates(const Problem& p, const std::vector<harness::Measurement>& rates);

/// The file that remembers measurements of this kind: rates.jsonl in $XDG_CACHE_HOME/parity or
/// ~/.cache/parity; "" without a home.
std::string rates_file();

/// Measurements of a file, or none where there is no such file or it cannot be read.
std::vector<harness::Measurement> read_rates(const std::string& file);

/// Measures the six most promising candidates on planes as these, as few of them and as few steps as should
/// take so many seconds in all, and appends what it found to the file. Returns the measurements; none where
/// they do not fit into memory.
std::vector<harness::Measurement> measure_rates(const Problem& p, const std::vector<Expected>& all,
                                                double seconds, const std::string& file);

/// A table of candidates for people, the first marked as chosen.
std::string candidates_table(const std::vector<Expected>& all, std::size_t most = 8);

}  // namespace parity::diffusion
