// SPDX-License-Identifier: BSD-3-Clause
// The four cells of an algorithm: {Kokkos, native} x {first version, tuned}.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// One implementation of an algorithm; of several tunings the fastest.
struct Implementation {
  const harness::Measurement* row = nullptr;  ///< null where it was not measured
  /// Time of the fastest native implementation / this one's: 1 is as fast, below it slower.
  harness::Estimate speed;
};

/// An algorithm on one problem in one run, launched alike on both sides.
struct Cells {
  enum Which { kokkos, kokkos_tuned, native, native_tuned };
  std::string study, algorithm;
  std::array<Implementation, 4> cells;
  const Implementation& operator[](Which which) const { return cells[which]; }
  const harness::Measurement& fastest_native() const;
};

/// "fused" of "kokkos-fused-tuned".
std::string algorithm_name(const harness::Measurement& row);

/// Algorithms with a Kokkos and a native row, in the order of their first rows. Native is CUDA, or OpenMP in
/// runs without it. Rows that failed their check are no part. Valid as long as 'rows' is.
std::vector<Cells> cells_of(const std::vector<harness::Measurement>& rows);

/// "0.46 [0.45, 0.47]", "1" for the fastest native one, or "-" for a cell that was not measured.
std::string text(const Cells& cells, Cells::Which which);

}  // namespace parity::analysis
