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
  std::string source;     ///< "measured on 1024x1024x64 N=512 float", "model"
};

/// All that can compute the problem, floors and references apart: the measured ones by their time, then the
/// others by theirs. A measurement counts where it is of this device and precision, right, and of a plane of
/// at most twice as many or half as many points; the nearest does, scaled by points and steps. Of several
/// tunings the fastest counts.
std::vector<Expected> candidates(const Problem& p, const std::vector<harness::Measurement>& rates);

/// The file that remembers measurements of this kind: rates.jsonl in $XDG_CACHE_HOME/parity or
/// ~/.cache/parity; "" without a home.
std::string rates_file();

/// Measurements of a file, or none where there is no such file or it cannot be read.
std::vector<harness::Measurement> read_rates(const std::string& file);

/// Measures the most promising candidates on planes as these, few of them and few steps, for about so many
/// seconds, and appends what it found to the file. Returns the measurements.
std::vector<harness::Measurement> measure_rates(const Problem& p, const std::vector<Expected>& all,
                                                double seconds, const std::string& file);

/// A table of candidates for people, the first marked as chosen.
std::string candidates_table(const std::vector<Expected>& all, std::size_t most = 8);

}  // namespace parity::diffusion
