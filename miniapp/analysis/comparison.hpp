// SPDX-License-Identifier: BSD-3-Clause
// What pairs come to: on one platform and on all, beside those of other records; the best rates of each side.
#pragma once
#include <string>
#include <vector>

#include "analysis/pairs.hpp"

namespace parity::analysis {

struct Efficiency {
  std::string platform;  ///< the device of the records
  double value = 0;      ///< harmonic mean of the speeds relative to the fastest native row; 0 without one
  int pairs = 0;         ///< algorithms
};

/// One study, problem and column of portable rows. The metric is the harmonic mean of the efficiencies over
/// the platforms that have a pair of this study and problem, and 0 where one of them has no efficiency
/// (Pennycook, Sewall and Lee, Implications of a metric for performance portability, 2019).
struct Portability {
  std::string study, problem;
  bool best = false;  ///< of the fastest Kokkos version, not of the first one
  double value = 0;
  std::vector<Efficiency> platforms;
};

/// Of pairs that are launched plainly and compute something, as rates: a time that is a result by itself has
/// no efficiency. Of several runs on a platform the latest counts.
std::vector<Portability> portabilities_of(const std::vector<Measurement>& rows);

/// Of one device, study and precision: the fastest rows of the run and problem with the highest native rate,
/// of those with both sides and intervals if there are any.
struct BestRate {
  std::string device, study, precision;
  const Measurement* native = nullptr;
  const Measurement* portable = nullptr;
  const Measurement* original = nullptr;  ///< the original work's own form in that run, or null
  Estimate ratio;                         ///< native time / portable time; no blocks where one is missing
  Estimate native_gain;                   ///< original time / native time
  Estimate portable_gain;
};

/// What several ranks do together is no rate of a device.
bool of_several_ranks(const Measurement& row);

/// Of rows of one rank whose first metric is a rate, but for sums that skip pairs. Of several runs of
/// a problem a later one replaces one whose fastest rows it measured again. Valid as long as 'rows' is.
std::vector<BestRate> best_rates_of(const std::vector<Measurement>& rows);

/// Pairs that ran with several versions of Kokkos on a device, the latest run of each version.
struct PairsByVersion {
  std::string device;
  std::vector<std::string> versions;  ///< the oldest first
  /// In the order of their problems and names: one for each version, without rows where it was not measured.
  std::vector<std::vector<Pair>> lines;
};
/// Of each device with several versions. Valid as long as 'rows' is.
std::vector<PairsByVersion> pairs_by_version(const std::vector<Measurement>& rows);

enum class Change {
  none,
  faster,
  slower,
  too_slow,
  wrong,
  undecided,      ///< too few blocks on one side for an interval
  undecided_slow  ///< likewise, and beyond the factor: nobody can say that it is noise
};

/// A row, or a portable row beside its native twin, in each of several sets.
struct Beside {
  std::string study, name;
  harness::Values problem;
  harness::Family family = harness::Family::reference;
  std::vector<Estimate> in;     ///< of each set: seconds of a row, native time / portable time of a pair
  std::vector<Change> changes;  ///< of each set since the first, whose own is none
};

/// Rows that all sets hold, in the order of the first. A row is faster or slower where each time lies outside
/// of the other's interval; one that failed its check is wrong whatever it was before.
std::vector<Beside> rows_beside(const std::vector<std::vector<Measurement>>& sets, double factor);

/// Pairs that all sets hold, in the order of the first, each by its fastest tunings. Here faster is a ratio
/// that has grown. Wrong is a pair of the first set that a later one lacks because a row failed its check.
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
  int verified = 0, unreliable = 0, wrong = 0;  ///< rows
};

/// The first metric of each row, each pair's ratio, and the performance portability of each study.
Merits merits_of(const std::vector<Measurement>& rows);

}  // namespace parity::analysis
