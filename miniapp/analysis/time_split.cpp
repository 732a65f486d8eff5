// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/time_split.hpp"

#include <algorithm>
#include <limits>

#include "analysis/comparison.hpp"
#include "analysis/findings.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

constexpr const char* copy_bandwidth = "copy_bandwidth";

double field_bytes(const Measurement& m) {
  double bytes = m.problem.count("precision") && m.word("precision") == "double" ? 8 : 4;
  for (const char* axis : {"nx", "ny", "nz"})
    if (m.problem.count(axis)) bytes *= m.number(axis);
  return bytes;
}

/// The cost of a plain launch, or of a node of a graph that Kokkos makes or CUDA captures.
Figure cost_of_launch(const Measurement& row, const std::vector<LaunchFigures>& figures) {
  const auto machine = std::find_if(figures.begin(), figures.end(),
                                    [&row](const LaunchFigures& f) { return f.device == row.run.device; });
  if (machine == figures.end()) return {};
  const bool captured = row.mechanism.rfind("graph", 0) == 0;
  const auto family = machine->family.find(captured ? "cuda" : harness::name(row.family));
  if (family == machine->family.end()) return {};
  return row.mechanism == "stream" ? family->second.launch : family->second.node;
}

}  // namespace

TimeSplits::TimeSplits(const std::vector<Measurement>& rows) : figures_(launch_figures(rows)) {
  for (const Measurement& m : rows) {
    double& fastest = copies_[{m.run.id, m.family}][field_bytes(m)];
    fastest = std::max(fastest, m.metric(copy_bandwidth));
  }
}

double TimeSplits::bandwidth_for(const Measurement& row) const {
  double most = row.metric(copy_bandwidth);
  if (const auto run = copies_.find({row.run.id, row.family}); most > 0 && run != copies_.end())
    for (auto at = run->second.lower_bound(field_bytes(row)); at != run->second.end(); ++at)
      most = std::max(most, at->second);
  return most;
}

TimeSplit TimeSplits::of(const Measurement& row) const {
  TimeSplit s;
  const Figure launch = cost_of_launch(row, figures_);
  if (launch.known() || row.model.launches == 0) s.launches = row.model.launches * launch.value;
  const double bandwidth = bandwidth_for(row);
  if (bandwidth > 0 && row.model.bytes > 0) s.bytes = row.model.bytes / bandwidth;
  if (s.launches && s.bytes) s.rest = row.host().value - *s.launches - *s.bytes;
  return s;
}

std::vector<const Measurement*> rows_to_split(const std::vector<Measurement>& rows) {
  const auto problem_of = [](const Measurement& m) { return m.study + " " + m.problem_text(); };
  std::vector<const Measurement*> found = fastest_of_latest_runs(rows, [&](const Measurement& m) {
    const bool is_rate = m.comparable() && !m.metrics.empty() &&
                         m.metrics.front().better == harness::Better::higher && !of_several_ranks(m);
    return is_rate ? problem_of(m) + " " + m.variant : std::string();
  });
  std::map<std::string, const Measurement*> first;
  for (const Measurement* m : found) {
    const Measurement*& kept = first.emplace(problem_of(*m), m).first->second;
    kept = std::min(kept, m);
  }
  std::stable_sort(found.begin(), found.end(), [&](const Measurement* a, const Measurement* b) {
    return first.at(problem_of(*a)) < first.at(problem_of(*b));
  });
  return found;
}

WaysToLaunch ways_to_launch(const FamilyCosts& c, double kernel, int kernels) {
  const auto launched = [](const Figure& launch, const Figure& interval, double work) {
    return std::max(launch.value, interval.value + work);
  };
  WaysToLaunch w;
  w.kernel = kernel;
  w.stream = kernels * launched(c.launch, c.interval, kernel);
  w.graph = c.graph_repeat.at(kernels).value + kernels * kernel;
  if (c.dependent.known()) w.dependent = kernels * launched(c.dependent, c.dependent_interval, kernel);
  if (c.barrier.known()) w.barrier = kernels * (c.barrier.value + kernel);
  w.fused = launched(c.launch, c.interval, kernels * kernel);
  const double saved = w.stream - w.graph;
  w.break_even =
      saved > 0 ? c.graph_setup.at(kernels).value / saved : std::numeric_limits<double>::infinity();
  return w;
}

std::vector<WaysToLaunch> ways_to_launch(const FamilyCosts& costs, int kernels) {
  std::vector<WaysToLaunch> all;
  if (!costs.launch.known() || costs.graph_repeat.empty() || costs.graph_setup.empty()) return all;
  for (const double us : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0})
    all.push_back(ways_to_launch(costs, 1e-6 * us, kernels));
  return all;
}

}  // namespace parity::analysis
