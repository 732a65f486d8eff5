// SPDX-License-Identifier: BSD-3-Clause
// What the original works concluded, and what sweeps of tunings and ranks say, computed from records.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measurement.hpp"

namespace parity::analysis {

using harness::Estimate;
using harness::Measurement;

/// "commit c0ffee on NVIDIA H200".
std::string origin_text(const harness::RunIdentity& run);

struct Origin {
  std::string text;  ///< origin_text of its rows, and their Kokkos if there are several
  std::vector<Measurement> rows;
  std::vector<std::size_t> places;  ///< of each row among all
};

/// In the order of their first rows.
std::vector<Origin> by_origin(std::vector<Measurement> rows);

/// Of the rows for which 'what' says the same those of the latest run, in their order; rows for which it says
/// nothing are left out. Valid as long as 'rows' is.
std::vector<const Measurement*> of_latest_runs(const std::vector<Measurement>& rows,
                                               const std::function<std::string(const Measurement&)>& what);

/// And of those the fastest of each thing, of several tunings; in the order of what 'what' says.
std::vector<const Measurement*> fastest_of_latest_runs(
    const std::vector<Measurement>& rows, const std::function<std::string(const Measurement&)>& what);

// Bezençon, Mietz, Vetsch and Maeder, 'Using CUDA Graphs and Custom CUDA Kernels to Speed up CuPy' (2024):
// their Table 4, Figure 3 and largest speed-up, each by the times, and by their 95 % intervals.

/// From which square grid on a kernel, plainly launched, beats the baseline's two-graphs and unrolled-graph
/// versions, at every larger size measured too.
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

/// The speed-up over a baseline that is largest by the lower end of its interval, or by its value without
/// one.
struct SpeedUp {
  std::string variant, baseline, problem;
  Estimate factor;  ///< with the interval of this one ratio; it was chosen of many
};

/// Up to which square grid a graph, its capture left out, is faster than the same kernels launched one by
/// one, on every smaller grid measured, too.
struct GraphReach {
  std::string variant, precision;
  std::int64_t nz = 0, steps = 0, largest = 0;
  std::optional<std::int64_t> to, certain_to;  ///< by the times; by the intervals
  bool has_intervals = false;                  ///< of any ratio
};

/// Time of all steps for each grid point, on the largest grid measured: the right of the original work's
/// Figure 2.
struct Plateau {
  std::string variant, precision, grid;
  std::int64_t steps = 0;
  double seconds = 0;
  bool is_published = false;  ///< the text has a number for all versions but the one that copies
};

struct DiffusionFindings {
  std::vector<Threshold> thresholds;
  std::vector<BreakEven> break_even;
  std::vector<SpeedUp> speed_ups;
  std::vector<GraphReach> reaches;
  std::vector<Plateau> plateaus;
};

/// Of comparable rows: of each problem the latest run, of several tunings the fastest.
DiffusionFindings diffusion_findings(const std::vector<Measurement>& rows);

/// Of DeRosa, 'Benchmarking CUDA Gaussian Kernel' (2024): seconds; extrapolated by n^2 if not measured.
struct Cell {
  double seconds = 0;
  bool extrapolated = false;
};

struct WidthTable {
  std::string variant, problem;  ///< "float h=0.01 lognormal"
  std::vector<std::int64_t> sizes;
  std::vector<int> widths;
  std::map<std::pair<std::int64_t, int>, Cell> cells;
  std::map<int, double> occupancy;  ///< by width

  std::optional<Cell> at(std::int64_t n, int width) const;
  /// Time at the narrowest width over time, the original work's Figure 2.
  std::optional<Cell> speed_up(std::int64_t n, int width) const;
  /// Speed-up over the width, the original work's Figure 3: it is relative to the narrowest width's 1/width.
  std::optional<Cell> efficiency(std::int64_t n, int width) const;
};

/// The original work's times, on another device.
WidthTable published_widths();

/// Of every variant whose tuning is a block width and of which several were measured; of the latest run.
std::vector<WidthTable> width_tables(const std::vector<Measurement>& rows);

/// What Figures 2 to 4 of Zhang, Wahib and Matsuoka draw of one launch function.
struct LaunchFunction {
  std::string variant;  ///< "cuda-kernel-multi-device, 2 GPUs"
  std::string unit;
  std::map<std::string, const Measurement*> rows;  ///< by quantity
};

/// A column of quantities along one axis.
struct Sweep {
  std::string variant, title;  ///< title: what else the rows have in common
  /// By the axis' value, by quantity.
  std::map<std::int64_t, std::map<std::string, const Measurement*>> rows;
};

struct SweepsOver {
  const char *title, *axis;  ///< "one pass of a barrier by blocks and threads", "blocks"
  std::vector<Sweep> sweeps;
};

struct LaunchFindings {
  std::vector<LaunchFunction> functions;
  std::vector<SweepsOver> sweeps;  ///< of each parameter that has one
  bool empty() const { return functions.empty() && sweeps.empty(); }
};

/// Equation 3 of one launch function: the total latency less its three terms, each a row of its own.
struct Equation3 {
  std::string variant, unit;
  double total = 0;  ///< seconds
  Estimate rest;     ///< seconds that are left, start by start
  /// Whether the interval is narrow enough to say anything: a tenth of the total on either side.
  bool decides() const { return rest.interval->high - rest.interval->low <= 0.2 * total; }
  bool holds() const { return rest.interval->contains(0); }
};
/// Of the functions that have all four quantities in least_processes processes at least.
std::vector<Equation3> equation_3(const LaunchFindings& found);

/// Of rows of the launch study that passed their check, of the latest run. Valid as long as 'rows' is.
LaunchFindings launch_findings(const std::vector<Measurement>& rows);

struct Tuned {
  const Measurement* best = nullptr;    ///< the shortest time; of equal ones the first
  const Measurement* second = nullptr;  ///< the next; null where one tuning was tried
  int tried = 0;                        ///< tunings that were right and have a time
};

/// Problem by problem, variant by variant, in the order of the rows; valid as long as 'rows' is.
std::vector<Tuned> best_tunings(const std::vector<Measurement>& rows);

/// Variants whose twins were tried with another number of tunings, a line each: more of them, more luck.
std::vector<std::string> unequal_budgets(const std::vector<Measurement>& rows);

struct ScaledRow {
  const Measurement* row = nullptr;
  int ranks = 1;
  double seconds = 0;  ///< of a step; of kde, of all densities
  /// Efficiencies against a row of one rank with the same part (weak) or the same whole (strong).
  std::optional<double> weak, strong;
  /// Against the fastest result of the same family, for as many points and ranks that share planes alone (z).
  std::optional<double> of_z_cut;
};

/// Throws runtime::UsageError where no verified row of several ranks is there. Valid as long as 'rows' is.
std::vector<ScaledRow> scaled_rows(const std::vector<Measurement>& rows);

}  // namespace parity::analysis
