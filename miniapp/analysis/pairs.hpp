// SPDX-License-Identifier: BSD-3-Clause
// What is compared with what: portable rows with their native twins, and the cells of an algorithm: {Kokkos,
// native} x {first version, tuned, only form}.
#pragma once
#include <array>
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

/// What a pair is called in every set: study, variant, its twin's kernel and the problem.
std::string place_of(const Pair& p);

/// One implementation of an algorithm; of several tunings the fastest.
struct Implementation {
  const Measurement* row = nullptr;  ///< null where it was not measured
  /// Time of the fastest native implementation / this one's: 1 is as fast, below it slower.
  Estimate speed;
};

/// An algorithm on one problem in one run, launched alike on both sides. Further versions are in no cell.
struct Cells {
  enum Which { kokkos, kokkos_tuned, kokkos_only, native, native_tuned, native_only };
  std::string study, algorithm;
  std::array<Implementation, 6> cells;
  const Implementation& operator[](Which which) const { return cells[which]; }
  const Measurement& fastest_native() const;
};

/// "fused" of "kokkos-fused-tuned".
std::string algorithm_name(const Measurement& row);

/// Algorithms with a Kokkos and a native row, in the order of their first rows. Native is CUDA, or OpenMP in
/// runs without it. Rows that failed their check are no part. Valid as long as 'rows' is.
std::vector<Cells> cells_of(const std::vector<Measurement>& rows);

/// Algorithms whose tables have the same columns.
struct CellTable {
  std::vector<std::string> heads;  ///< "Kokkos, first"
  std::vector<Cells::Which> columns;
  std::vector<Cells> lines;
};
/// First those with first and tuned versions, then those of one form; at most four columns each.
std::vector<CellTable> tables_of(const std::vector<Cells>& cells);

}  // namespace parity::analysis
