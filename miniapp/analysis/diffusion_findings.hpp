// SPDX-License-Identifier: BSD-3-Clause
// What Bezençon, Mietz, Vetsch and Maeder concluded in 'Using CUDA Graphs and Custom CUDA Kernels to Speed up
// CuPy' (2024), computed from records: the grid size from which a custom kernel beats the graph versions
// (their Table 4), the number of steps from which a graph pays for its capture (their Figure 3), and the
// largest speed-up over the baseline. Each by the times, and by their 95 % intervals.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

/// From which square grid on a kernel, plainly launched, beats the best of the baseline's two-graphs and
/// unrolled-graph versions of its family, at every larger size measured too.
struct Threshold {
  std::string kernel, precision;
  std::int64_t nz = 0, steps = 0, largest = 0;
  std::optional<std::int64_t> from;          ///< points a side, by the times; empty where it never does
  std::optional<std::int64_t> certain_from;  ///< from which the intervals of the ratios say so too
  bool has_intervals = true;                 ///< of all ratios
  std::string published;  ///< the original work's figure for this kernel on a P100, where it has one
};

/// From how many steps on a graph version, its capture included, is faster than plain launches.
struct BreakEven {
  std::string variant, precision, grid;
  double capture_seconds = 0;               ///< median over the steps measured
  double saved_per_step = 0;                ///< at the largest number of steps; negative where it is slower
  std::optional<double> steps;              ///< capture_seconds / saved_per_step
  std::optional<std::int64_t> measured_at;  ///< the smallest number measured from which it stays faster
  std::optional<std::int64_t> certain_at;   ///< from which the intervals of the differences say so too
  bool has_intervals = true;                ///< of all differences
};

/// The speed-up of a family's variants over a baseline on one problem that is largest by the lower end of its
/// interval; by its value where no speed-up has one.
struct SpeedUp {
  std::string variant, baseline, problem;
  harness::Estimate factor;  ///< with the interval of this one ratio; it was chosen of many
  const harness::Measurement *row = nullptr, *base = nullptr;  ///< of the given ones
};

struct DiffusionFindings {
  std::vector<Threshold> thresholds;
  std::vector<BreakEven> break_even;
  std::vector<SpeedUp> speed_ups;
};

/// From measurements; wrong ones, floors and other methods do not count. Of several runs of a
/// problem the latest counts, and of several tunings the fastest.
DiffusionFindings diffusion_findings(const std::vector<harness::Measurement>& rows);

}  // namespace parity::analysis
