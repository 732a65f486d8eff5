// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace parity::analysis {
namespace {

using harness::Measurement;

double sum(const Terms& terms) { return std::accumulate(terms.begin(), terms.end(), 0.0); }

std::string problem_of(const Measurement& m) {
  const std::string precision = m.word("precision");
  if (m.study == "kde")
    return fmt::format("n={} h={:g} {}", m.integer("n"), m.number("bandwidth"), precision);
  return fmt::format("{}x{}x{} N={} {}", m.integer("nx"), m.integer("ny"), m.integer("nz"),
                     m.integer("steps"), precision);
}

/// What twins have in common: the native one's name without its family.
std::string algorithm_of(const Measurement& m) {
  const std::string& native = m.twin.empty() ? m.kernel : m.twin;
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
RowModel host_model(const Measurement& row, const Costs& costs) {
  if (row.model.bytes <= 0) throw NoModel{"it moves no bytes"};
  // A sum over samples goes through all of its bytes.
  const double working_set = row.study == "kde" ? row.model.bytes : row.metric("working_set");
  if (working_set <= 0) throw NoModel{"its record, of an earlier version, does not say its working set"};
  const auto& points = costs.streams.points();
  const double least = points.begin()->first, most = points.rbegin()->first;
  RowModel m;
  m.row.clamped = working_set > most;
  m.row.memory_bytes = row.model.bytes;
  m.row.memory_rate = costs.streams.at(std::clamp(working_set, least, most));
  m.work[std::size_t(Term::memory)] = m.row.memory_bytes / m.row.memory_rate;
  return m;
}

RowModel model_of(const Measurement& m, const Costs& costs, const KernelTable& kernels) {
  if (!m.method.empty()) throw NoModel{"it does no steps (" + m.method + ")"};
  RowModel model = costs.gpu ? device_model(m, costs, kernels) : host_model(m, costs);
  Explained& e = model.row;
  e.study = m.study, e.name = m.name(), e.problem = problem_of(m), e.mechanism = m.mechanism;
  e.precision = m.word("precision"), e.measured = m.host().value, e.noisy = m.host().noisy();
  const double known = predicted(model, {1, 1, 1});
  if (!std::isfinite(known) || known <= 0) throw NoModel{"its model has no term that takes time"};
  return model;
}

}  // namespace

const char* name(Term term) {
  static constexpr const char* names[term_count] = {"launches",     "memory", "L2",      "L1",
                                                    "instructions", "blocks", "latency", "around"};
  return names[std::size_t(term)];
}

double Explained::modelled() const { return sum(terms); }

Term Explained::reason() const {
  return Term(std::distance(terms.begin(), std::max_element(terms.begin(), terms.end())));
}

Explanation explain(const std::vector<Measurement>& rows, const Costs& costs, const KernelTable& kernels) {
  Explanation x;
  std::vector<RowModel> models;
  for (const Measurement& m : rows) {
    if ((m.study != "diffusion" && m.study != "kde") || !m.comparable()) continue;
    try {
      RowModel model = model_of(m, costs, kernels);
      model.row.algorithm = algorithm_of(m);
      models.push_back(std::move(model));
    } catch (const NoModel& none) {
      count(x.others, m.study, m.kernel, none.why);
    }
  }
  for (const RowModel& m : models)
    if (m.samples_wait && !x.latencies.count(m.row.algorithm))
      x.latencies[m.row.algorithm] = latencies_without(m.row.algorithm, models);
  for (const RowModel& m : models)
    x.rows.push_back(finished(m, m.samples_wait ? x.latencies.at(m.row.algorithm) : Latencies{}));
  return x;
}

Factorial factorial_of(const FamilyCosts& c, std::int64_t n, bool graph) {
  const double points = double(n) * double(n) * 64, many = 33 * 4 * points, few = 2 * 4 * points;
  // A kernel that copies b bytes moves 2 b.
  const FigureCurve& curve = graph ? c.copy : c.copy_stream;
  const auto step = [&](double launches, double bytes) {
    return launches * curve.at(bytes / launches / 2).value;
  };
  return {step(16, many), step(16, few), step(1, many), step(1, few)};
}

Advice advice_for(const Costs& costs, const FamilyCosts& c, double kernel, int kernels) {
  const auto launched = [](const Figure& launch, const Figure& interval, double work) {
    return std::max(launch.value, interval.value + work);
  };
  Advice a;
  a.kernel = kernel;
  a.stream = kernels * launched(c.launch, c.interval, kernel);
  a.graph = c.graph_repeat.at(kernels).value + kernels * kernel;
  if (c.dependent.known()) a.dependent = kernels * launched(c.dependent, c.dependent_interval, kernel);
  if (costs.grid_barrier > 0) a.barrier = kernels * (costs.grid_barrier + kernel);
  a.fused = launched(c.launch, c.interval, kernels * kernel);
  const double saved = a.stream - a.graph;
  a.break_even =
      saved > 0 ? c.graph_setup.at(kernels).value / saved : std::numeric_limits<double>::infinity();
  return a;
}

std::vector<Advice> guide_of(const Costs& costs, const FamilyCosts& family, int kernels) {
  std::vector<Advice> guide;
  for (const double us : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0})
    guide.push_back(advice_for(costs, family, 1e-6 * us, kernels));
  return guide;
}

namespace {

double& at(Terms& terms, Term term) { return terms[std::size_t(term)]; }

double latency(const RowModel& m, const Latencies& l) {
  return m.touch + l.dependent * m.chained + l.own * m.alone;
}

/// Mean distance, in logarithms; one that is far off counts no more than one by a factor of e.
double distance(const std::vector<const RowModel*>& models, const Latencies& l) {
  double total = 0;
  for (const RowModel* m : models)
    total += std::min(1.0, std::abs(std::log(predicted(*m, l) / m->row.measured)));
  return total / double(models.size());
}

}  // namespace

Terms overlapped(const Terms& alone) {
  Terms shares{};
  double cubes = 0;
  for (const double t : alone) cubes += t * t * t;
  if (cubes <= 0) return shares;
  const double total = std::cbrt(cubes);
  for (std::size_t i = 0; i < term_count; ++i) shares[i] = total * alone[i] * alone[i] * alone[i] / cubes;
  return shares;
}

double predicted(const RowModel& m, const Latencies& l) {
  return m.once + (m.samples_wait ? l.around : 0) + std::max(m.host, m.gaps + sum(m.work) + latency(m, l));
}

Explained finished(const RowModel& m, const Latencies& l) {
  Explained e = m.row;
  e.terms = m.work;
  at(e.terms, Term::latency) += latency(m, l);
  if (m.samples_wait) at(e.terms, Term::around) += l.around;
  // A host that is slower than the device counts beyond the work that it hides.
  at(e.terms, Term::launches) += predicted(m, l) - sum(e.terms);
  return e;
}

Latencies latencies_without(const std::string& algorithm, const std::vector<RowModel>& models) {
  std::vector<const RowModel*> others;
  for (const RowModel& m : models)
    if (m.row.algorithm != algorithm && m.samples_wait) others.push_back(&m);
  if (others.size() < 20) return {};
  Latencies best{4e-9, 1e-9, 5e-6, others.size()};
  double least = distance(others, best);
  // Far away every row counts the same, so that no single step makes it better.
  for (double by = 1.0 / 64; by <= 64; by *= 2) {
    const Latencies tried{4e-9 * by, 1e-9 * by, 5e-6 * by, others.size()};
    const double now = distance(others, tried);
    if (now < least) best = tried, least = now;
  }
  // From coarse to fine factors, one figure after the other, until none makes it better.
  for (const double factor : {1.5, 1.2, 1.08, 1.03, 1.01}) {
    bool better = true;
    for (int pass = 0; better && pass < 20; ++pass) {
      better = false;
      for (double Latencies::*figure : {&Latencies::dependent, &Latencies::own, &Latencies::around})
        for (const double by : {factor, 1 / factor}) {
          Latencies tried = best;
          tried.*figure *= by;
          const double now = distance(others, tried);
          if (now < least) best = tried, least = now, better = true;
        }
    }
  }
  return best;
}

}  // namespace parity::analysis
