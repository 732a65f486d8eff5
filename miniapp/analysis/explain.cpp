// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/row_model.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

std::string problem_of(const Measurement& m) {
  const std::string precision = m.word("precision");
  if (m.study == "kde")
    return fmt::format("n={} h={:g} {}", m.integer("n"), m.number("bandwidth"), precision);
  return fmt::format("{}x{}x{} N={} {}", m.integer("nx"), m.integer("ny"), m.integer("nz"),
                     m.integer("steps"), precision);
}

/// The native twin of each kernel, of all rows: records of before name it in some of them only.
std::map<std::string, std::string> twins_of(const std::vector<Measurement>& rows) {
  std::map<std::string, std::string> twins;
  for (const Measurement& m : rows)
    if (!m.twin.empty()) twins[m.study + " " + m.kernel] = m.twin;
  return twins;
}

/// What twins have in common: the native one's name without its family.
std::string algorithm_of(const Measurement& m, const std::map<std::string, std::string>& twins) {
  const auto twin = twins.find(m.study + " " + m.kernel);
  const std::string& native = twin == twins.end() ? m.kernel : twin->second;
  const auto dash = native.find('-');
  return m.study + " " + (dash == std::string::npos ? native : native.substr(dash + 1));
}

void count(std::vector<NotExplained>& others, const std::string& study, const std::string& kernel,
           const std::string& why) {
  for (NotExplained& o : others)
    if (o.study == study && o.name == kernel && o.why == why) {
      ++o.rows;
      return;
    }
  others.push_back({study, kernel, why, 1});
}

/// A row on the host: its bytes at the rate of the level that holds its fields.
std::optional<RowModel> host_model(const Measurement& row, const Costs& costs, std::string& why) {
  if (row.model.bytes <= 0) {
    why = "it moves no bytes";
    return std::nullopt;
  }
  // A sum over samples goes through all of its bytes.
  const double working_set = row.study == "kde" ? row.model.bytes : row.metric("working_set");
  if (working_set <= 0) {
    why = "its record, of an earlier version, does not say its working set";
    return std::nullopt;
  }
  const auto& points = costs.streams.points();
  const double least = points.begin()->first, most = points.rbegin()->first;
  RowModel m;
  m.row.clamped = working_set > most;
  Traffic& t = m.row.traffic;
  t.flops = row.model.flops, t.memory_bytes = row.model.bytes;
  t.memory_rate = costs.streams.at(std::clamp(working_set, least, most));
  m.work[std::size_t(Term::memory)] = t.memory_bytes / t.memory_rate;
  return m;
}

std::optional<RowModel> model_of(const Measurement& m, const Costs& costs, const KernelTable& kernels,
                                 std::string& why) {
  if (!m.method.empty()) {
    why = "it does no steps (" + m.method + ")";
    return std::nullopt;
  }
  auto model = costs.gpu ? device_model(m, costs, kernels, why) : host_model(m, costs, why);
  if (!model) return std::nullopt;
  Explained& e = model->row;
  model->kernel = m.kernel;
  e.study = m.study, e.name = m.name(), e.problem = problem_of(m), e.mechanism = m.mechanism;
  e.precision = m.word("precision"), e.measured = m.host().value, e.noisy = m.host().noisy();
  const double known = predicted(*model, {1, 1, 1});
  if (std::isfinite(known) && known > 0) return model;
  why = "its model has no term that takes time";
  return std::nullopt;
}

}  // namespace

const char* name(Term term) {
  static constexpr const char* names[term_count] = {"launches",     "memory", "L2",      "L1",
                                                    "instructions", "blocks", "latency", "around"};
  return names[std::size_t(term)];
}

double Explained::modelled() const {
  double sum = 0;
  for (const double t : terms) sum += t;
  return sum;
}

Term Explained::reason() const {
  return Term(std::distance(terms.begin(), std::max_element(terms.begin(), terms.end())));
}

Explanation explain(const std::vector<Measurement>& rows, const Costs& costs, const KernelTable& kernels) {
  Explanation x;
  std::vector<RowModel> models;
  const std::map<std::string, std::string> twins = twins_of(rows);
  for (const Measurement& m : rows) {
    if ((m.study != "diffusion" && m.study != "kde") || !m.comparable()) continue;
    std::string why;
    if (auto model = model_of(m, costs, kernels, why)) {
      model->row.algorithm = algorithm_of(m, twins);
      models.push_back(std::move(*model));
    } else
      count(x.others, m.study, m.kernel, why);
  }
  for (const RowModel& m : models)
    if (m.samples_wait && !x.latencies.count(m.row.algorithm))
      x.latencies[m.row.algorithm] = latencies_without(m.row.algorithm, models);
  for (const RowModel& m : models) {
    const Latencies latencies =
        x.latencies.count(m.row.algorithm) ? x.latencies[m.row.algorithm] : Latencies{};
    x.rows.push_back(finished(m, latencies));
  }
  return x;
}

Factorial factorial_of(const FamilyCosts& c, std::int64_t n, bool graph) {
  const double points = double(n) * double(n) * 64, many = 33 * 4 * points, few = 2 * 4 * points;
  // A kernel that copies b bytes moves 2 b.
  const Curve& curve = graph ? c.copy : c.copy_stream;
  const auto step = [&](double launches, double bytes) { return launches * curve.at(bytes / launches / 2); };
  return {n, graph, step(16, many), step(16, few), step(1, many), step(1, few)};
}

Advice advice_for(const Costs& costs, const FamilyCosts& c, double kernel, int kernels) {
  Advice a;
  a.kernel = kernel;
  a.kernels = kernels;
  a.stream = kernels * std::max(c.launch_host, c.launch_device + kernel);
  a.graph = c.graph_repeat.at(kernels) + kernels * kernel;
  if (c.dependent > 0) a.dependent = kernels * std::max(c.dependent, c.dependent_device + kernel);
  if (costs.grid_barrier > 0) a.barrier = kernels * (costs.grid_barrier + kernel);
  a.fused = std::max(c.launch_host, c.launch_device + kernels * kernel);
  const double saved = a.stream - a.graph;
  a.break_even = saved > 0 ? c.graph_setup.at(kernels) / saved : std::numeric_limits<double>::infinity();
  return a;
}

std::vector<Advice> guide_of(const Costs& costs, const FamilyCosts& family, int kernels) {
  std::vector<Advice> guide;
  for (const double us : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0})
    guide.push_back(advice_for(costs, family, 1e-6 * us, kernels));
  return guide;
}

}  // namespace parity::analysis
