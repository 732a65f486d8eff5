// SPDX-License-Identifier: BSD-3-Clause
// The tables of DeRosa, 'Benchmarking CUDA Gaussian Kernel' (2024), computed from records of a sweep over
// sizes and block widths.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// One cell: seconds of the kernel; extrapolated by n^2 where it was not measured.
struct Cell {
  double seconds = 0;
  bool extrapolated = false;
};

/// The sweep of one variant.
struct WidthTable {
  std::string variant, problem;  ///< "float h=0.01 lognormal"
  std::vector<std::int64_t> sizes;
  std::vector<int> widths;
  std::map<std::pair<std::int64_t, int>, Cell> cells;
  std::map<int, double> occupancy;  ///< by width
  double ceiling = 0;               ///< 1e9 pairs a second, 0 where unknown
  /// Seconds with allocation and both copies, which the original work timed too; measured cells only.
  std::map<std::pair<std::int64_t, int>, double> with_copies;

  std::optional<Cell> at(std::int64_t n, int width) const;
  /// Time at the narrowest width over time, the original work's Figure 2.
  std::optional<Cell> speed_up(std::int64_t n, int width) const;
  /// Speed-up over the width, the original work's Figure 3: it is relative to the narrowest width's 1/width.
  std::optional<Cell> efficiency(std::int64_t n, int width) const;
};

/// The tables of every variant whose tuning is a block width and of which more than one width was measured.
/// Of several runs the latest counts.
std::vector<WidthTable> width_tables(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis
