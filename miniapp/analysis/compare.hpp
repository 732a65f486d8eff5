// SPDX-License-Identifier: BSD-3-Clause
// Which rows changed between two sets of records, beyond what another run would.
#pragma once
#include <string>
#include <vector>

#include "analysis/pairs.hpp"
#include "harness/measurement.hpp"

namespace parity::analysis {

enum class Change {
  none,
  faster,
  slower,
  too_slow,
  wrong,
  undecided,      ///< too few blocks on one side for an interval
  undecided_slow  ///< likewise, and beyond the factor: nobody can say that it is noise
};

/// One row that both sets hold.
struct Changed {
  std::string key;
  Change change = Change::none;
  harness::Estimate before, after;  ///< seconds
};

/// In the order of the keys. A row is faster or slower where each time lies outside of the other's interval,
/// and too slow beyond 'factor' times its time of before; a row that failed its check is wrong whatever it
/// was before.
std::vector<Changed> compare(const std::vector<harness::Measurement>& before,
                             const std::vector<harness::Measurement>& after, double factor);

/// A row, or a portable row beside its native twin, in each of several sets.
struct Beside {
  std::string study, name;
  harness::Values problem;
  harness::Family family = harness::Family::reference;
  std::vector<harness::Estimate>
      in;                       ///< of each set: seconds of a row, native time / portable time of a pair
  std::vector<Change> changes;  ///< of each set since the first, whose own is none
};

/// Rows that all sets hold, in the order of the first. Changes are as compare() finds them.
std::vector<Beside> rows_beside(const std::vector<std::vector<harness::Measurement>>& sets, double factor);

/// What a pair is called in every set: study, variant, its twin's kernel and the problem.
std::string place_of(const Pair& p);

/// Pairs that all sets hold, in the order of the first, each by its fastest tunings. Here faster is a ratio
/// that has grown. Wrong is a pair of the first set that a later one lacks because a row failed its check.
std::vector<Beside> pairs_beside(const std::vector<std::vector<harness::Measurement>>& sets, double factor);

}  // namespace parity::analysis
