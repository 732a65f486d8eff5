// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

/// Of several starts the interval of the next one; of one start that of its median, which is all it has.
Figure figure_of(const Measurement& m) {
  const harness::Estimate e = m.host();
  if (e.interval) return {e.value, std::max(0.0, e.interval->low), e.interval->high};
  std::vector<double> samples;
  for (const auto& block : m.host_seconds) samples.insert(samples.end(), block.begin(), block.end());
  const harness::Summary s = harness::summarise(samples);
  return {e.value, std::min(e.value, s.low), std::max(e.value, s.high)};
}

class Quantities {
 public:
  void add(const Measurement& m) { rows_.push_back(&m); }
  bool empty() const { return rows_.empty(); }
  Figure smallest(const std::string& variant, const std::string& quantity, double least_blocks = 0) {
    return least(variant, quantity, least_blocks, [](const Measurement& m) {
      return m.number("blocks") * m.number("threads") + m.number("argument_bytes");
    });
  }
  Figure fastest(const std::string& variant, const std::string& quantity, double least_blocks) {
    return least(variant, quantity, least_blocks, [](const Measurement& m) { return m.host().value; });
  }
  FigureCurve curve(const std::string& variant, const std::string& quantity, const char* axis) {
    FigureCurve c;
    for (const Measurement* m : rows_)
      if (matches(*m, variant, quantity) && m->word("topology") == "line")
        c.add(m->number(axis), figure_of(*m));
    return c;
  }
  double largest_rate(const std::string& quantity, double per) {
    double most = 0;
    for (const Measurement* m : rows_)
      if (m->word("quantity") == quantity) most = std::max(most, m->model.flops / per / m->host().value);
    return most;
  }

 private:
  static bool matches(const Measurement& m, const std::string& variant, const std::string& quantity) {
    return m.variant == variant && m.word("quantity") == quantity;
  }
  template <class By>
  Figure least(const std::string& variant, const std::string& quantity, double least_blocks, const By& by) {
    const Measurement* found = nullptr;
    for (const Measurement* m : rows_)
      if (matches(*m, variant, quantity) && m->number("blocks") >= least_blocks &&
          (!found || by(*m) < by(*found)))
        found = m;
    return found ? figure_of(*found) : Figure();
  }
  std::vector<const Measurement*> rows_;
};

FigureCurve sum(const std::vector<FigureCurve>& parts) {
  FigureCurve all;
  for (const auto& [x, y] : parts.front().points()) {
    Figure s;
    for (const FigureCurve& part : parts) {
      if (part.empty()) return {};
      const Figure f = part.at(x);
      s = {s.value + f.value, s.low + f.low, s.high + f.high};
    }
    all.add(x, s);
  }
  return all;
}

FamilyCosts family_of(Quantities& q, const std::string& launcher, const std::string& graph) {
  FamilyCosts c;
  c.launch = q.smallest(launcher, "null-overhead");
  c.interval = q.smallest(launcher, "device-interval");
  c.latency = q.smallest(launcher, "latency");
  c.node = q.smallest(graph, "node");
  c.graph_repeat = q.curve(graph, "graph-repeat", "launches");
  c.graph_setup =
      sum({q.curve(graph, "graph-create", "launches"), q.curve(graph, "graph-instantiate", "launches"),
           q.curve(graph, "graph-upload", "launches")});
  c.copy = q.curve(graph, "copy", "bytes");
  c.copy_stream = q.curve(launcher, "copy", "bytes");
  return c;
}

std::map<std::string, FamilyCosts> gpu_families(Quantities& q) {
  std::map<std::string, FamilyCosts> family;
  FamilyCosts& cuda = family["cuda"] = family_of(q, "cuda-kernel", "cuda-graph");
  family["kokkos"] = family_of(q, "kokkos-kernel", "kokkos-graph");
  cuda.dependent = q.smallest("cuda-dependent", "null-overhead");
  cuda.dependent_interval = q.smallest("cuda-dependent", "device-interval");
  return family;
}

/// Between what the smallest copy takes, which is all launch, and what a larger one does.
Curve bandwidth_of(const FigureCurve& copy) {
  Curve rate;
  if (copy.empty()) return rate;
  const auto& [least_bytes, least] = *copy.points().begin();
  for (const auto& [bytes, seconds] : copy.points())
    // Below a megabyte the difference is noise.
    if (bytes >= 1048576 && seconds.value > least.value)
      rate.add(bytes, 2 * (bytes - least_bytes) / (seconds.value - least.value));
  if (!rate.empty()) rate.add(1e15, rate.points().rbegin()->second);
  return rate;
}

/// Of the fastest copy of each size: how the copying loop is written must not count.
void add_roofs(Costs& costs, const std::vector<Measurement>& all) {
  std::map<double, const Measurement*> fastest;
  for (const Measurement& m : all) {
    if (m.study != "roofs" || !m.comparable() || m.word("quantity") != "copy") continue;
    const Measurement*& best = fastest[m.number("bytes")];
    if (!best || m.model.bytes / m.host().value > best->model.bytes / best->host().value) best = &m;
  }
  for (const auto& [bytes, m] : fastest) costs.streams.add(bytes, m->model.bytes / m->host().value);
}

}  // namespace

Costs costs_of(const harness::Records& records) {
  Costs costs;
  for (const harness::Environment& e : records.environments) {
    // CuPy rows come with an environment of their own, from the same machine.
    if (!e.complete) continue;
    const std::string& device = e.run.device;
    if (!costs.device.empty() && costs.device != device)
      throw runtime::UsageError(fmt::format(
          "the records come from different devices ({} and {}); give those of one", costs.device, device));
    costs.device = device;
    costs.gpu = e.portable_on_gpu;
    costs.multiprocessors = e.multiprocessors;
  }
  if (!costs.gpu) {
    add_roofs(costs, records.measurements);
    if (costs.streams.points().size() < 2)
      throw runtime::UsageError(
          "the files hold no copies by working set; measure jobs/plans/roofs.toml on the same machine and "
          "give its records too");
    return costs;
  }
  Quantities q;
  for (const Measurement& m : records.measurements)
    if (m.study == "launch" && m.comparable() && m.verdict.caveat.empty()) q.add(m);
  if (q.empty())
    throw runtime::UsageError(
        "the files hold no quantities of launches; measure jobs/plans/launch_model.toml on the same machine "
        "and give its records too");
  costs.family = gpu_families(q);
  costs.grid_barrier = q.fastest("cuda-barrier-grid", "barrier", 100).value;
  costs.issue_rate = q.largest_rate("multiply-add", 64);  // 32 lanes, two operations each
  costs.exponential_rate = q.largest_rate("exponential", 1);
  costs.bandwidth = bandwidth_of(costs.family["cuda"].copy);
  add_roofs(costs, records.measurements);
  for (const auto& [name, c] : costs.family) {
    const bool copies = !costs.streams.empty() || c.copy.points().size() >= 2;
    if (!copies || costs.bandwidth.empty() || costs.issue_rate <= 0 || !c.latency.known() ||
        !c.launch.known() || !c.node.known() || c.graph_repeat.empty())
      throw runtime::UsageError(fmt::format(
          "quantities of launches are missing for {}: measure all of jobs/plans/launch_model.toml", name));
  }
  return costs;
}

std::vector<LaunchFigures> launch_figures(const harness::Records& records) {
  std::map<std::string, Quantities> by_device;
  for (const Measurement& m : records.measurements)
    if (m.study == "launch" && m.comparable()) by_device[m.run.device].add(m);
  std::vector<LaunchFigures> all;
  for (auto& [device, q] : by_device) {
    all.push_back({device, gpu_families(q)});
    all.back().family["cuda"].barrier = q.smallest("cuda-barrier-grid", "barrier", 100);
    all.back().family["openmp"] = family_of(q, "openmp-kernel", "");
  }
  if (all.empty())
    throw runtime::UsageError(
        "the files hold no quantities of launches: measure jobs/plans/launch_model.toml on that machine and "
        "give its records");
  return all;
}

std::string plain_device_name(const std::string& name) {
  std::string word, plain;
  for (const char c : runtime::lowered(name) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    const bool mark = word == "nvidia" || word == "tesla" || word == "r" || word == "tm" || word == "amd" ||
                      word == "intel" || word == "cpu" || word == "processor";
    if (!word.empty() && !mark) plain += (plain.empty() ? "" : " ") + word;
    word.clear();
  }
  return plain;
}

}  // namespace parity::analysis
