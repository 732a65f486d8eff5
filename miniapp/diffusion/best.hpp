// SPDX-License-Identifier: BSD-3-Clause
// The variant that computes a problem fastest here: by what was measured on this machine or recorded on such
// a GPU, by the variants' cost models elsewhere.
#pragma once
#include <string>
#include <vector>

#include "diffusion/recorded_rates.hpp"
#include "diffusion/study.hpp"
#include "harness/measurement.hpp"

namespace parity::diffusion {

/// What an expected time is from.
enum class By {
  measurement,  ///< of this machine and build
  record,       ///< of such a GPU
  model         ///< which knows traffic, operations and launches alone
};

/// A variant that can compute a problem here, and the time that it should take.
struct Expected {
  harness::Choice choice;
  double seconds = 0;
  By by = By::model;
  std::string source;  ///< "measured on 8 planes, 48 and 240 steps", "model"
  bool known() const { return by != By::model; }
};

/// Variants that are never chosen, although they can compute the problem here, and why.
struct LeftOut {
  std::vector<std::string> variants;
  std::string reason;
};

struct Candidates {
  std::vector<Expected> all;  ///< the first is the choice; empty where nothing can compute the problem here
  std::vector<LeftOut> left_out;
  bool known() const { return !all.empty() && all.front().known(); }
};

/// All that can compute the problem, floors, references and other methods apart: those with a measurement or
/// a record by their time, then the others by their model's, native ones first where it sees no difference.
///
/// A measurement counts where it is right and of this device, build, precision and size of plane, and of an
/// alpha for which variants do the same arithmetic (1/32, or another). Of as many steps it is the time; from
/// two numbers of steps follow what a start and what a step takes. Planes are scaled by turns_of_planes.
/// A record counts on a GPU of its class: of a variant the one on the planes most like these (nearest_rate),
/// scaled as the variant's model. Of several tunings the fastest counts.
Candidates candidates(const Problem& p, const std::vector<harness::Measurement>& measured,
                      const std::vector<RecordedRate>& recorded);
/// With the records of this machine's GPU.
Candidates candidates(const Problem& p, const std::vector<harness::Measurement>& measured);

/// The order of Candidates::all.
void put_in_order(std::vector<Expected>& all);

/// How often as many planes as are at work at a time take their turn; the planes themselves where the variant
/// does not say how many are.
double turns_of_planes(const harness::Choice& choice, const Problem& p);

/// The file that remembers measurements of this kind: rates.jsonl in $XDG_CACHE_HOME/parity or
/// ~/.cache/parity; "" without a home.
std::string rates_file();

/// Measurements of a file, or none where there is no such file or it cannot be read.
std::vector<harness::Measurement> read_rates(const std::string& file);

/// The two numbers of steps that start and step are found from, or the problem's own where they would be no
/// fewer. steps_in_share: those of one plane that take a run's share of the time.
std::vector<std::int64_t> steps_to_measure(std::int64_t steps, double steps_in_share);

/// Measures the most promising candidates on planes as these, as few of them and as few steps as should take
/// so many seconds in all, then the other tunings of the fastest, and appends what it found to the file.
/// Returns the measurements; none where they do not fit into memory.
std::vector<harness::Measurement> measure_rates(const Problem& p, const Candidates& found, double seconds,
                                                const std::string& file);

/// A table of candidates for people, the first marked as chosen, and what is left out.
std::string candidates_table(const Candidates& found, std::size_t most = 8);

}  // namespace parity::diffusion
