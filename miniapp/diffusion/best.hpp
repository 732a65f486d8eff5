// SPDX-License-Identifier: BSD-3-Clause
// The variant that computes a problem fastest here: by what was measured on this machine or recorded on such
// a GPU, by the variants' cost models elsewhere.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "diffusion/recorded_rates.hpp"
#include "diffusion/study.hpp"
#include "harness/measurement.hpp"

namespace parity::diffusion {

/// What an expected time is from.
enum class By {
  measurement,  ///< of this host, device, build and commit, and as many threads
  record,       ///< of such a GPU
  model         ///< which knows traffic, operations and launches alone
};

/// A variant that can compute a problem here, and the time that it should take.
struct Expected {
  harness::Choice choice;
  double seconds = 0;
  By by = By::model;
  std::string source;       ///< "measured on 8 planes, 48 and 240 steps", "model"
  bool near = true;         ///< of a record: whether it is of this GPU, such planes and such an alpha
  std::int64_t planes = 0;  ///< of a launch, at most
};

/// What a record is scaled by: values of one variant, so that any machine can work out the choice of any GPU.
struct Scaling {
  std::string variant;
  std::string device;  ///< the GPU's name
  std::function<bool(const RecordedRate&)> can_take;
  /// Its cost model, submissions included; how many planes are at work at a time, 0 where nobody knows.
  std::function<harness::CostModel(const Problem&, const std::string& tuning)> model;
  std::function<std::int64_t(const Problem&, const std::string& tuning)> planes_at_once;
};

/// A variant's time on a GPU by its record on the planes most like these.
struct FromRecord {
  const RecordedRate* rate = nullptr;
  double seconds = 0;
  /// Of a GPU of this name, as many points a plane and as long a shape, within a factor of 2, an alpha for
  /// which variants do the same arithmetic, and no less than half as many planes, where nobody knows how many
  /// are at work at a time.
  bool near = false;
};
/// nullopt without a record that can be taken.
std::optional<FromRecord> from_record(const Scaling& s, const Problem& p,
                                      const std::vector<RecordedRate>& rates);

/// How often so many planes take their turn; the planes themselves where nobody knows how many are at work at
/// a time. whole: the last turn takes as long as a full one.
double turns_taken(std::int64_t planes, std::int64_t at_once, bool whole);

/// Whether the time of some planes on a GPU tells that of others. Of fewer than half of them a pass may take
/// as long, where nobody knows how many are at work at a time.
bool can_be_scaled(std::int64_t measured, std::int64_t planes, std::int64_t at_once);

/// The order of candidates: what is known, then what is extrapolated from a record, then models; of these by
/// time, native before portable.
std::tuple<int, double, bool> place_of(By by, bool near, double seconds, bool portable);

/// Variants that are never chosen, although they can compute the problem here, and why.
struct LeftOut {
  std::vector<std::string> variants;
  std::string reason;
};

/// Whether a first candidate needs no measuring: a measurement, or a near record than which no far one
/// expects less.
bool is_known(By by, bool near, double seconds, double least_of_far);

struct Candidates {
  std::vector<Expected> all;  ///< the first is the choice; empty where nothing can compute the problem here
  std::vector<LeftOut> left_out;
  bool known() const;
};

/// How many planes a choice is given in one launch, at most. Empty: all.
using PlanesOfLaunch = std::function<std::int64_t(const harness::Choice&)>;

/// All that can compute the problem, floors, references and other methods apart, in the order of place_of:
/// those with a measurement or a near record, those with a record, the others by their models.
///
/// A measurement counts where it is right and of this host, device, build, commit, precision and size of
/// plane, and of an alpha for which variants do the same arithmetic (1/32, or another). Of as many steps it
/// is the time; from two numbers of steps follow what a start and what a step takes. Planes are scaled by
/// turns_of_planes. A record counts on a GPU of its class and for variants that compute there, by
/// from_record. Of several tunings the fastest counts. A time is that of all launches, each as long as one of
/// most planes.
Candidates candidates(const Problem& p, const std::vector<harness::Measurement>& measured,
                      const std::vector<RecordedRate>& recorded, const PlanesOfLaunch& planes = {});
/// The records of this machine's GPU's class; none without one.
std::vector<RecordedRate> recorded_here();
/// With those.
Candidates candidates(const Problem& p, const std::vector<harness::Measurement>& measured);

/// The order of Candidates::all.
void put_in_order(std::vector<Expected>& all);

/// turns_taken by a choice. Threads of a host take whole turns; on a GPU parts of planes fill the last one.
double turns_of_planes(const harness::Choice& choice, const Problem& p);

/// The file that remembers measurements of this kind: rates.jsonl in $XDG_CACHE_HOME/parity or
/// ~/.cache/parity; "" without a home.
std::string rates_file();

/// Measurements of a file by runs with as many threads as this one, bound alike; none where there is no such
/// file or it cannot be read.
std::vector<harness::Measurement> read_rates(const std::string& file);

/// The two numbers of steps that start and step are found from, or the problem's own where they would be no
/// fewer. steps_in_share: those of one plane that take a run's share of the time.
std::vector<std::int64_t> steps_to_measure(std::int64_t steps, double steps_in_share);

/// Measures the most promising candidates on planes as these, no more than a launch has, as few of them and
/// as few steps as should take so many seconds in all, then the other tunings of the fastest, and appends
/// what it found to the file. Inputs, checks and slow candidates may take longer; the other tunings are left
/// out then. Returns the measurements; none where they do not fit into memory.
std::vector<harness::Measurement> measure_rates(const Problem& p, const Candidates& found, double seconds,
                                                const std::string& file);

/// A table of candidates for people, the first marked as chosen, and what is left out.
std::string candidates_table(const Candidates& found, std::size_t most = 8);

}  // namespace parity::diffusion
