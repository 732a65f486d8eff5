// SPDX-License-Identifier: BSD-3-Clause
// Portable against native: the one function that says what is compared with what.
#pragma once
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// A portable kernel and its native twin, of the same run, on the same problem, launched alike; of several
/// tunings the fastest of each.
struct Pair {
  const harness::Measurement* portable = nullptr;
  const harness::Measurement* native = nullptr;
  harness::Estimate ratio;       ///< native time over portable time: 1 is parity, above it portable is faster
  harness::Estimate difference;  ///< portable time less native time, seconds
};

/// In the order of the portable rows. Rows that failed their check, and floors of noise (a time that is not
/// positive), are no part of any pair. Valid as long as 'rows' is.
std::vector<Pair> pairs_of(const std::vector<harness::Measurement>& rows);

/// A native kernel and the portable rows that it is the twin of, of one run and problem, launched alike.
struct Columns {
  const Pair* idiomatic = nullptr;  ///< the fastest first version, or null
  const Pair* best = nullptr;       ///< the fastest first or tuned version
};

/// In the order of the native kernels' first pairs, without the rungs of ladders. Valid as long as 'pairs'
/// is.
std::vector<Columns> columns_of(const std::vector<Pair>& pairs);

/// The pair that a row is part of as its portable side, or null.
const Pair* pair_of(const std::vector<Pair>& pairs, const harness::Measurement& row);

/// How a row's native twin is launched: a Kokkos graph's twin is the native capture of the same schedule.
std::string native_mechanism(const harness::Measurement& row);

/// "1.013 [1.002, 1.020] n=5", as every table shows it: n starts.
std::string text(const Pair& pair);

}  // namespace parity::analysis
