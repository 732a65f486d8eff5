// SPDX-License-Identifier: BSD-3-Clause
// The fast Gauss transform and linear binning for 'parity density'.
#include <algorithm>
#include <optional>

#include "backend/kokkos/kde/transform.hpp"
#include "kde/binned/binning.hpp"
#include "kde/sorted_transform.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/density/kokkos/sums_on_device.hpp"
#include "tools/density/of_all_ranks.hpp"

namespace parity::density {
namespace {

using namespace kde;

template <int P>
void transform(PlacedProblem& p, const TransformPlan& plan, double h, double total, Moments how) {
  const Exec exec;
  const GaussTransform<double, P> t(exec, plan, h, how);
  t.run({p.x, p.w, p.n, total, p.q, p.m}, p.sums.data(), 1.0);
  exec.fence();
}

/// The transform over sorted boxes, for samples that span too many dense boxes.
Sums sorted_sums(const SampleSet& s, Values queries, double h, double tolerance) {
  s.begin_stage("sums");
  int terms = 4;  // its boxes are at most h/2 wide
  while (series_bound(terms, 0.25) > tolerance / 2 && terms < 20) ++terms;
  const double cutoff = cutoff_for(tolerance / 2);
  Numbers sums(queries.size());
  sorted_transform(s.x(), s.w(), queries, h, terms, cutoff, sums.data());
  return {std::move(sums), "transform (sorted boxes)",
          series_bound(terms, 0.25) + cutoff_bound(cutoff) + 1e-13};
}

/// Rounding error of a position in one of so many boxes; sorted boxes have exact middles.
double rounding_of(const TransformPlan& plan) { return 4e-16 * double(plan.boxes); }

/// Dense boxes for these queries; nullopt if there would be too many.
std::optional<TransformPlan> dense_plan(const SampleSet& s, const Range& span, double h, double tolerance) {
  const Range ends = s.summary().range;
  // Queries beyond the samples need boxes up to the cutoff.
  const double reach = cutoff_for(tolerance / 2) * h;
  const double lower = std::min(ends.least, std::max(span.least, ends.least - reach)),
               upper = std::max(ends.greatest, std::min(span.greatest, ends.greatest + reach));
  const TransformPlan plan = plan_transform(TransformAccuracy(tolerance), lower, upper, h);
  // Dense boxes have integer numbers, including that of the farthest query.
  const double farthest = std::max(span.greatest - lower, lower - span.least) / plan.width;
  if (plan.boxes > most_boxes / plan.terms || rounding_of(plan) > tolerance / 10 || farthest > 1e18)
    return std::nullopt;
  return plan;
}

}  // namespace

bool spans_too_many(const SampleSet& s, const Range& queries, double h, double tolerance) {
  return !dense_plan(s, queries, h, tolerance);
}

Sums transform_sums(const SampleSet& s, Values queries, double h, double tolerance, bool deterministic) {
  if (queries.empty() && !s.shared()) return {{}, "transform", 0};
  const Range span = s.shared()          ? range_of_all_ranks(queries)
                     : queries.is(s.x()) ? s.summary().range
                                         : range_of(queries);
  const auto dense = dense_plan(s, span, h, tolerance);
  if (!dense) return sorted_sums(s, queries, h, tolerance);
  const TransformPlan& plan = *dense;
  PlacedProblem p(s, queries, "sums");
  const double total = s.summary().total;
  const Moments how = s.shared() ? Moments::of_all_ranks : deterministic ? Moments::exact : Moments::plain;
  plan.terms == 4   ? transform<4>(p, plan, h, total, how)
  : plan.terms == 8 ? transform<8>(p, plan, h, total, how)
                    : transform<12>(p, plan, h, total, how);
  // A GPU's moments are rounded to 61 bits of the total weight.
  return {p.sums.take(s), "transform",
          plan.bound + rounding_of(plan) + (compat::exec_is_device() ? 1e-12 : 1e-13)};
}

Sums binned_sums(const SampleSet& s, Values queries, double h, double tolerance) {
  if (compat::exec_is_device() && !runtime::why_no_fft().empty())
    throw runtime::CannotRunError("--method binned: " + runtime::why_no_fft());
  const BinningGrid grid = binning_grid(s.summary().range.least, s.summary().range.greatest, h, tolerance);
  if (grid.points > most_grid_points)
    throw runtime::UsageError("--method binned: --tolerance " + runtime::three_digits(tolerance) + " needs " +
                              runtime::three_digits(double(grid.points)) +
                              " grid points; raise --tolerance or omit --method");
  PlacedProblem p(s, queries, "sums");
  const Exec exec;
  const LinearBinning<double> binning(exec, grid, h);
  binning.run(p.x, p.w, p.n, s.summary().total, p.q, p.m, p.sums.data(), 1.0);
  exec.fence();
  Numbers values = p.sums.take(s);
  const double last = grid.lower + double(grid.points - 1) * grid.spacing;
  runtime::for_ranges(p.m, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
      // Beyond the grid no sample is within the cutoff; the transform's rounding must not give negative sums.
      if (queries[i] < grid.lower || queries[i] > last) values[i] = 0;
      values[i] = std::max(values[i], 0.0);
    }
  });
  return {std::move(values), "binned", binning_bound(grid.spacing / h) + tolerance / 4 + 1e-12};
}

}  // namespace parity::density
