// SPDX-License-Identifier: BSD-3-Clause
// Partners of comparisons: portable results with their native twins, and the cells of an algorithm: {Kokkos,
// native} x {first version, tuned, only form}.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

using harness::Estimate;
using harness::Measurement;

/// A portable kernel and its native twin of one run and problem, launched alike; fastest tuning of each.
struct Pair {
  const Measurement* portable = nullptr;
  const Measurement* native = nullptr;
  Estimate ratio;       ///< native time / portable time: 1 is parity, above 1 portable is faster
  Estimate difference;  ///< portable time - native time, in seconds
};

/// The pairs of comparable results, in the order of the portable ones. Valid as long as 'rows' is.
std::vector<Pair> pairs_of(const std::vector<Measurement>& rows);

/// The pair whose portable side is 'row', or null.
const Pair* pair_of(const std::vector<Pair>& pairs, const Measurement& row);

/// The mechanism of a row's native twin: a Kokkos graph's twin is the native capture of the same schedule.
std::string native_mechanism(const Measurement& row);

/// Identifies a pair in every set: study, variant, its twin's kernel and the problem.
std::string place_of(const Pair& p);

/// One implementation of an algorithm, with its fastest tuning.
struct Implementation {
  const Measurement* row = nullptr;  ///< null if it was not measured
  /// Time of the fastest native implementation / this one's: 1 is as fast, below 1 is slower.
  Estimate speed;
};

/// An algorithm on one problem in one run, launched alike on both sides. Excludes further versions.
struct Cells {
  enum Which { kokkos, kokkos_tuned, kokkos_only, native, native_tuned, native_only };
  std::string study, algorithm;
  std::array<Implementation, 6> cells;
  const Implementation& operator[](Which which) const { return cells[which]; }
  const Measurement& fastest_native() const;
};

/// "fused" for "kokkos-fused-tuned".
std::string algorithm_name(const Measurement& row);

/// Algorithms with a Kokkos and a native result, in the order of their first results. Native is CUDA, or
/// OpenMP in runs without it. Excludes results that failed their check. Valid as long as 'rows' is.
std::vector<Cells> cells_of(const std::vector<Measurement>& rows);

/// Algorithms whose tables have the same columns.
struct CellTable {
  std::vector<std::string> heads;  ///< "Kokkos, first"
  std::vector<Cells::Which> columns;
  std::vector<Cells> lines;
};
/// First the algorithms with first and tuned versions, then those of one form; at most four columns each.
std::vector<CellTable> tables_of(const std::vector<Cells>& cells);

}  // namespace parity::analysis
