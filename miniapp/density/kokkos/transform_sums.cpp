// SPDX-License-Identifier: BSD-3-Clause
// The fast Gauss transform and linear binning for 'parity density'.
#include <fmt/format.h>

#include <algorithm>

#include "density/kokkos/sums_on_device.hpp"
#include "kde/kokkos/binning.hpp"
#include "kde/kokkos/transform.hpp"
#include "kde/sorted_transform.hpp"
#include "runtime/error.hpp"

namespace parity::density {
namespace {

constexpr int fixed_copies =
    16;  // moments added up apart on a host, so that the number of threads does not matter

template <int P>
std::vector<double> transform(const ExecData& d, const TransformPlan& plan, double h, double total,
                              bool fixed) {
  const Exec exec;
  const GaussTransform<double, P> t(exec, plan, h, fixed ? fixed_copies : 0);
  t.run({d.x.data(), d.weights(), d.n, total, d.q.data(), d.m}, d.result.data(), 1.0);
  exec.fence();
  return to_host(d.result);
}

/// The transform over sorted boxes, where there would be too many dense ones.
Sums sorted_sums(const Samples& s, const std::vector<double>& queries, double h, double tolerance) {
  int terms = 4;  // its boxes are at most h/2 wide
  while (series_bound(terms, 0.25) > tolerance / 2 && terms < 20) ++terms;
  const double cutoff = cutoff_for(tolerance / 2);
  return {sorted_transform(s.x, s.w, &queries == &s.x ? s.x : queries, h, terms, cutoff),
          "transform (sorted boxes)", series_bound(terms, 0.25) + cutoff_bound(cutoff) + 1e-13};
}

}  // namespace

Sums transform_sums(const Samples& s, const std::vector<double>& queries, double h, double tolerance,
                    bool deterministic) {
  const auto ends = std::minmax_element(s.x.begin(), s.x.end());
  // Queries beyond the samples need boxes as far as the cutoff.
  const auto span = std::minmax_element(queries.begin(), queries.end());
  const double reach = cutoff_for(tolerance / 2) * h;
  const double lower = std::min(*ends.first, std::max(*span.first, *ends.first - reach)),
               upper = std::max(*ends.second, std::min(*span.second, *ends.second + reach));
  const TransformPlan plan = plan_transform(TransformAccuracy(tolerance), lower, upper, h);
  // A place in one of so many boxes is rounded by that much; sorted boxes know their middles exactly.
  const double rounding = 4e-16 * double(plan.boxes);
  if (plan.boxes > most_boxes / plan.terms || rounding > tolerance / 10)
    return sorted_sums(s, queries, h, tolerance);
  const ExecData d(s.x, s.w, &queries == &s.x ? s.x : queries);
  const double total = s.total();
  std::vector<double> values = plan.terms == 4   ? transform<4>(d, plan, h, total, deterministic)
                               : plan.terms == 8 ? transform<8>(d, plan, h, total, deterministic)
                                                 : transform<12>(d, plan, h, total, deterministic);
  // A GPU's moments are rounded to 61 bits of the total weight.
  return {std::move(values), "transform", plan.bound + rounding + (compat::exec_is_device() ? 1e-12 : 1e-13)};
}

Sums binned_sums(const Samples& s, const std::vector<double>& queries, double h, double tolerance) {
  if (compat::exec_is_device() && !runtime::why_no_fft().empty())
    throw runtime::CannotRunError(fmt::format("--method binned: {}", runtime::why_no_fft()));
  const auto ends = std::minmax_element(s.x.begin(), s.x.end());
  const BinningGrid grid = binning_grid(*ends.first, *ends.second, h, tolerance);
  if (grid.points > most_grid_points)
    throw runtime::UsageError(fmt::format(
        "--method binned: a tolerance of {} needs {:.1e} grid points; raise --tolerance or leave --method "
        "away",
        tolerance, double(grid.points)));
  const ExecData d(s.x, s.w, queries);
  const Exec exec;
  const LinearBinning<double> binning(exec, grid, h);
  binning.run(d.x.data(), d.weights(), d.n, s.total(), d.q.data(), d.m, d.result.data(), 1.0);
  exec.fence();
  std::vector<double> values = to_host(d.result);
  const double last = grid.lower + double(grid.points - 1) * grid.spacing;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Beyond the grid there is nothing within the cutoff; the transform's rounding must not go below zero.
    if (queries[i] < grid.lower || queries[i] > last) values[i] = 0;
    values[i] = std::max(values[i], 0.0);
  }
  return {std::move(values), "binned", binning_bound(grid.spacing / h) + tolerance / 4 + 1e-12};
}

}  // namespace parity::density
