// SPDX-License-Identifier: BSD-3-Clause
// Summaries of pairs: on one platform, on all platforms and across records; the best rates of each side.
#pragma once
#include <string>
#include <vector>

#include "analysis/pairs.hpp"

namespace parity::analysis {

struct Efficiency {
  std::string platform;  ///< the device of the records
  double value = 0;  ///< harmonic mean of the speeds relative to the fastest native version; 0 without one
  int pairs = 0;     ///< number of algorithms
};

/// One study, problem and column of portable results. The metric is the harmonic mean of the efficiencies
/// over the platforms that have a pair of this study and problem, and 0 if one of them has no efficiency
/// (Pennycook, Sewall and Lee, Implications of a metric for performance portability, 2019).
struct Portability {
  std::string study, problem;
  bool best = false;  ///< for the fastest Kokkos version, not the first one
  double value = 0;
  std::vector<Efficiency> platforms;
};

/// From pairs with rates that are launched plainly and compute something: a time that is itself a result has
/// no efficiency. The latest of several runs on a platform counts.
std::vector<Portability> portabilities_of(const std::vector<Measurement>& rows);

/// For one device, study and precision: the fastest results of the run and problem with the highest native
/// rate, preferably one with both sides and intervals.
struct BestRate {
  std::string device, study, precision;
  const Measurement* native = nullptr;
  const Measurement* portable = nullptr;
  const Measurement* original = nullptr;  ///< the original work's own form in that run, or null
  Estimate ratio;                         ///< native time / portable time; empty if one is missing
  Estimate native_gain;                   ///< original time / native time
  Estimate portable_gain;
};

/// True if several ranks ran it together: then its rate is not that of a device.
bool of_several_ranks(const Measurement& row);

/// From results of one rank whose first metric is a rate, without sums that skip pairs. A later run of a
/// problem replaces one whose fastest results it measured again. Valid as long as 'rows' is.
std::vector<BestRate> best_rates_of(const std::vector<Measurement>& rows);

/// Pairs that ran with several versions of Kokkos on a device, the latest run of each version.
struct PairsByVersion {
  std::string device;
  std::vector<std::string> versions;  ///< the oldest first
  /// By problem and name: one pair per version, without results if it was not measured.
  std::vector<std::vector<Pair>> lines;
};
/// One per device with several versions. Valid as long as 'rows' is.
std::vector<PairsByVersion> pairs_by_version(const std::vector<Measurement>& rows);

enum class Change {
  none,
  faster,
  slower,
  too_slow,
  wrong,
  undecided,      ///< too few processes on one side for an interval
  undecided_slow  ///< likewise, but beyond the factor: counts as too slow
};

/// A result, or a portable result with its native twin, in several sets.
struct Beside {
  std::string study, name;
  harness::Values problem;
  harness::Family family = harness::Family::reference;
  std::vector<Estimate> in;     ///< per set: seconds of a result, native time / portable time of a pair
  std::vector<Change> changes;  ///< per set, since the first, whose own is none
};

/// Results that all sets hold, in the order of the first. A result is faster or slower if each time lies
/// outside the other's interval; one that failed its check is wrong, whatever it was before.
std::vector<Beside> rows_beside(const std::vector<std::vector<Measurement>>& sets, double factor);

/// Pairs that all sets hold, in the order of the first, each with its fastest tunings. Faster means a larger
/// ratio. Wrong is a pair of the first set that a later one lacks because a result failed its check.
std::vector<Beside> pairs_beside(const std::vector<std::vector<Measurement>>& sets, double factor);

struct Merit {
  std::string name;     ///< study/variant[/tuning], or study/idiomatic and study/best-portable
  std::string problem;  ///< nx=128,ny=128,...: every parameter, in alphabetical order, without spaces
  std::string metric;   ///< "throughput", "time", "ratio:TWIN", "portability", "efficiency:PLATFORM" ...
  double value = 0;
  std::string unit;
};

struct Merits {
  std::vector<Merit> figures;
  int verified = 0, unreliable = 0, wrong = 0;  ///< numbers of results
};

/// The first metric of each result, each pair's ratio, and the performance portability of each study.
Merits merits_of(const std::vector<Measurement>& rows);

}  // namespace parity::analysis
