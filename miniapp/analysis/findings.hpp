// SPDX-License-Identifier: BSD-3-Clause
// Conclusions of the original works, and of sweeps over tunings and ranks, computed from records.
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
  std::string text;  ///< origin_text of its results, with their Kokkos version if there are several
  std::vector<Measurement> rows;
  std::vector<std::size_t> places;  ///< index of each result among all
};

/// Groups results by origin, in the order of their first results.
std::vector<Origin> by_origin(std::vector<Measurement> rows);

/// For each text that 'what' returns, the results of the latest run, in their order. Omits results for which
/// it returns an empty text. Valid as long as 'rows' is.
std::vector<const Measurement*> of_latest_runs(const std::vector<Measurement>& rows,
                                               const std::function<std::string(const Measurement&)>& what);

/// Likewise, but only the fastest result (tuning) of each text; sorted by that text.
std::vector<const Measurement*> fastest_of_latest_runs(
    const std::vector<Measurement>& rows, const std::function<std::string(const Measurement&)>& what);

// Bezençon, Mietz, Vetsch and Maeder, 'Using CUDA Graphs and Custom CUDA Kernels to Speed up CuPy' (2024):
// their Table 4, Figure 3 and largest speed-up, each according to the times and to their 95 % intervals.

/// The square grid from which a plainly launched kernel beats the baseline's two-graphs and unrolled-graph
/// versions, also at every larger measured size.
struct Threshold {
  std::string kernel, precision;
  std::int64_t nz = 0, steps = 0, largest = 0;
  std::optional<std::int64_t> from;          ///< points per side, by the times; empty if it never does
  std::optional<std::int64_t> certain_from;  ///< likewise, by the intervals of the ratios
  bool has_intervals = true;                 ///< true if all ratios have one
  std::string published;  ///< the original work's value for this kernel on a P100, if it has one
};

/// The number of steps from which a graph version, with its capture, is faster than plain launches.
struct BreakEven {
  std::string variant, precision, grid;
  double capture_seconds = 0;               ///< median over the steps measured
  double saved_per_step = 0;                ///< at the largest number of steps; negative if it is slower
  std::optional<double> steps;              ///< capture_seconds / saved_per_step
  std::optional<std::int64_t> measured_at;  ///< the smallest measured number from which it stays faster
  std::optional<std::int64_t> certain_at;   ///< likewise, by the intervals of the differences
  bool has_intervals = true;                ///< true if all differences have one
};

/// The largest speed-up over a baseline, by the lower end of its interval, or by its value without one.
struct SpeedUp {
  std::string variant, baseline, problem;
  Estimate factor;  ///< with the interval of this one ratio, chosen from many
};

/// The square grid up to which a graph, without its capture, is faster than the same kernels launched one by
/// one, also on every smaller measured grid.
struct GraphReach {
  std::string variant, precision;
  std::int64_t nz = 0, steps = 0, largest = 0;
  std::optional<std::int64_t> to, certain_to;  ///< by the times; by the intervals
  bool has_intervals = false;                  ///< true if any ratio has one
};

/// Time of all steps per grid point on the largest measured grid: the right of the original work's Figure 2.
struct Plateau {
  std::string variant, precision, grid;
  std::int64_t steps = 0;
  double seconds = 0;
  bool is_published = false;  ///< false for the version that copies, for which the text has no number
};

struct DiffusionFindings {
  std::vector<Threshold> thresholds;
  std::vector<BreakEven> break_even;
  std::vector<SpeedUp> speed_ups;
  std::vector<GraphReach> reaches;
  std::vector<Plateau> plateaus;
};

/// From comparable results: the latest run of each problem, with the fastest tuning.
DiffusionFindings diffusion_findings(const std::vector<Measurement>& rows);

/// A cell of DeRosa, 'Benchmarking CUDA Gaussian Kernel' (2024): seconds; extrapolated by n^2 if not
/// measured.
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
  /// Time at the narrowest width / time, the original work's Figure 2.
  std::optional<Cell> speed_up(std::int64_t n, int width) const;
  /// Speed-up / width, the original work's Figure 3: the narrowest width has 1/width by definition.
  std::optional<Cell> efficiency(std::int64_t n, int width) const;
};

/// The original work's times, on another device.
WidthTable published_widths();

/// One table per variant whose tuning is a block width and that has several widths; from the latest run.
std::vector<WidthTable> width_tables(const std::vector<Measurement>& rows);

/// The quantities of one launch function that Figures 2 to 4 of Zhang, Wahib and Matsuoka draw.
struct LaunchFunction {
  std::string variant;  ///< "cuda-kernel-multi-device, 2 GPUs"
  std::string unit;
  std::map<std::string, const Measurement*> rows;  ///< by quantity
};

/// A column of quantities along one axis.
struct Sweep {
  std::string variant, title;  ///< title: other values that the results have in common
  /// By the value on the axis, then by quantity.
  std::map<std::int64_t, std::map<std::string, const Measurement*>> rows;
};

struct SweepsOver {
  const char *title, *axis;  ///< "one pass of a barrier by blocks and threads", "blocks"
  std::vector<Sweep> sweeps;
};

struct LaunchFindings {
  std::vector<LaunchFunction> functions;
  std::vector<SweepsOver> sweeps;  ///< one per parameter that has a sweep
  bool empty() const { return functions.empty() && sweeps.empty(); }
};

/// Equation 3 for one launch function: the total latency minus its three terms, each a result of its own.
struct Equation3 {
  std::string variant, unit;
  double total = 0;  ///< seconds
  Estimate rest;     ///< seconds that are left, process by process
  /// True if the interval is narrow enough to tell: at most a tenth of the total on either side.
  bool decides() const { return rest.interval->high - rest.interval->low <= 0.2 * total; }
  bool holds() const { return rest.interval->contains(0); }
};
/// For the functions with all four quantities in at least least_processes processes.
std::vector<Equation3> equation_3(const LaunchFindings& found);

/// From results of the launch study that passed their check, of the latest run. Valid as long as 'rows' is.
LaunchFindings launch_findings(const std::vector<Measurement>& rows);

struct Tuned {
  const Measurement* best = nullptr;    ///< the shortest time; the first of equal ones
  const Measurement* second = nullptr;  ///< the next best; null if only one tuning was tried
  int tried = 0;                        ///< number of tunings that were right and have a time
};

/// Problem by problem, variant by variant, in the order of the results; valid as long as 'rows' is.
std::vector<Tuned> best_tunings(const std::vector<Measurement>& rows);

/// Variants whose twins were tried with another number of tunings, one per line: more tunings, more luck.
std::vector<std::string> unequal_budgets(const std::vector<Measurement>& rows);

struct ScaledRow {
  const Measurement* row = nullptr;
  int ranks = 1;
  double seconds = 0;  ///< per step; for kde, of all densities
  /// Efficiencies against a result of one rank with the same part (weak) or the same whole (strong).
  std::optional<double> weak, strong;
  /// Against the fastest result of the same family with as many points, on as many ranks that divide z alone.
  std::optional<double> of_z_cut;
};

/// Throws runtime::UsageError if there is no verified result of several ranks. Valid as long as 'rows' is.
std::vector<ScaledRow> scaled_rows(const std::vector<Measurement>& rows);

}  // namespace parity::analysis
