// SPDX-License-Identifier: BSD-3-Clause
// What is compared with what: portable rows with their native twins.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

using harness::Estimate;
using harness::Measurement;

/// A portable kernel and its native twin, of one run and problem, launched alike; each by its fastest tuning.
struct Pair {
  const Measurement* portable = nullptr;
  const Measurement* native = nullptr;
  Estimate ratio;       ///< native time over portable time: 1 is parity, above it portable is faster
  Estimate difference;  ///< portable time less native time, seconds
};

/// In the order of the portable rows; of comparable ones. Valid as long as 'rows' is.
std::vector<Pair> pairs_of(const std::vector<Measurement>& rows);

/// The pair that a row is part of as its portable side, or null.
const Pair* pair_of(const std::vector<Pair>& pairs, const Measurement& row);

/// How a row's native twin is launched: a Kokkos graph's twin is the native capture of the same schedule.
std::string native_mechanism(const Measurement& row);

/// "1.013 [1.002, 1.020] n=5", as every table shows it: n starts.
std::string text(const Pair& pair);

/// What a pair is called in every set: study, variant, its twin's kernel and the problem.
std::string place_of(const Pair& p);

}  // namespace parity::analysis
