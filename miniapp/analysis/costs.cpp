// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/costs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

/// The launch study's rows; remembers which were used.
class Quantities {
 public:
  explicit Quantities(const std::vector<Measurement>& all) {
    for (const Measurement& m : all)
      if (m.study == "launch" && m.comparable() && m.verdict.caveat.empty()) rows_.push_back({&m, false});
  }
  bool empty() const { return rows_.empty(); }
  /// Of the smallest launch that has this quantity, or 0.
  double median(const std::string& variant, const std::string& quantity) {
    Row* least = nullptr;
    for (Row& r : rows_)
      if (matches(*r.m, variant, quantity) && (!least || size(*r.m) < size(*least->m))) least = &r;
    return least ? use(*least) : 0;
  }
  /// By the problem's value of 'axis'.
  Curve curve(const std::string& variant, const std::string& quantity, const char* axis) {
    Curve c;
    for (Row& r : rows_)
      if (matches(*r.m, variant, quantity) && r.m->word("topology") == "line")
        c.add(r.m->number(axis), use(r));
    return c;
  }
  double largest_rate(const std::string& quantity, double per) {
    Row* most = nullptr;
    const auto rate = [per](const Row& r) { return r.m->model.flops / per / r.m->host().value; };
    for (Row& r : rows_)
      if (r.m->word("quantity") == quantity && (!most || rate(r) > rate(*most))) most = &r;
    if (!most) return 0;
    use(*most);
    return rate(*most);
  }
  double smallest_barrier(const std::string& variant, double blocks) {
    Row* least = nullptr;
    for (Row& r : rows_)
      if (matches(*r.m, variant, "barrier") && r.m->number("blocks") >= blocks &&
          (!least || r.m->host().value < least->m->host().value))
        least = &r;
    return least ? use(*least) : 0;
  }
  std::vector<Source> sources() const {
    std::vector<Source> all;
    for (const Row& r : rows_)
      if (r.used)
        all.push_back({fmt::format("{} {}", r.m->variant, r.m->problem_text()), r.m->place, r.m->run.commit,
                       r.m->host()});
    return all;
  }

 private:
  struct Row {
    const Measurement* m;
    bool used;
  };
  static bool matches(const Measurement& m, const std::string& variant, const std::string& quantity) {
    return m.variant == variant && m.word("quantity") == quantity;
  }
  static double size(const Measurement& m) {
    return m.number("blocks") * m.number("threads") + m.number("argument_bytes");
  }
  static double use(Row& r) {
    r.used = true;
    return r.m->host().value;
  }
  std::vector<Row> rows_;
};

Curve sum(const Curve& a, const Curve& b, const Curve& c) {
  Curve s;
  for (const auto& [x, y] : a.points()) s.add(x, y + b.at(x) + c.at(x));
  return s;
}

FamilyCosts gpu_family(Quantities& f, const std::string& launcher, const std::string& graph) {
  FamilyCosts c;
  c.launch_host = f.median(launcher, "null-overhead");
  c.launch_device = f.median(launcher, "device-interval");
  c.latency = f.median(launcher, "latency");
  c.node = f.median(graph, "node");
  c.graph_repeat = f.curve(graph, "graph-repeat", "launches");
  c.graph_setup =
      sum(f.curve(graph, "graph-create", "launches"), f.curve(graph, "graph-instantiate", "launches"),
          f.curve(graph, "graph-upload", "launches"));
  c.copy = f.curve(graph, "copy", "bytes");
  c.copy_stream = f.curve(launcher, "copy", "bytes");
  return c;
}

}  // namespace

double Curve::at(double x) const {
  if (points_.empty()) return 0;
  const auto above = points_.lower_bound(x);
  if (above == points_.begin()) return above->second;
  auto b = above, a = std::prev(above);
  if (above == points_.end()) {
    if (points_.size() == 1) return a->second;
    b = a--;
  }
  return a->second + (x - a->first) * (b->second - a->second) / (b->first - a->first);
}

namespace {

/// Between what the smallest copy takes, which is all launch, and what a larger one does.
Curve bandwidth_of(const Curve& copy) {
  Curve rate;
  if (copy.empty()) return rate;
  const auto smallest = copy.points().begin();
  for (const auto& [bytes, seconds] : copy.points())
    // Below a megabyte the difference is noise.
    if (bytes >= 1048576 && seconds > smallest->second)
      rate.add(bytes, 2 * (bytes - smallest->first) / (seconds - smallest->second));
  if (!rate.empty()) rate.add(1e15, rate.points().rbegin()->second);
  return rate;
}

}  // namespace

namespace {

/// Of the fastest copy of each size: how the copying loop is written must not count.
void add_roofs(Costs& costs, const std::vector<Measurement>& all) {
  std::map<double, const Measurement*> fastest;
  for (const Measurement& m : all) {
    if (m.study != "roofs" || !m.comparable() || m.word("quantity") != "copy") continue;
    const Measurement*& best = fastest[m.number("bytes")];
    if (!best || m.model.bytes / m.host().value > best->model.bytes / best->host().value) best = &m;
  }
  for (const auto& [bytes, m] : fastest) {
    costs.streams.add(bytes, m->model.bytes / m->host().value);
    costs.sources.push_back(
        {fmt::format("{} {}", m->variant, m->problem_text()), m->place, m->run.commit, m->host()});
  }
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
          "give "
          "its records too");
    return costs;
  }
  Quantities f(records.measurements);
  if (f.empty())
    throw runtime::UsageError(
        "the files hold no quantities of launches; measure jobs/plans/launch_model.toml on the same machine "
        "and give its records too");
  costs.family["cuda"] = gpu_family(f, "cuda-kernel", "cuda-graph");
  costs.family["kokkos"] = gpu_family(f, "kokkos-kernel", "kokkos-graph");
  costs.family["cuda"].dependent = f.median("cuda-dependent", "null-overhead");
  costs.family["cuda"].dependent_device = f.median("cuda-dependent", "device-interval");
  costs.grid_barrier = f.smallest_barrier("cuda-barrier-grid", 100);
  costs.issue_rate = f.largest_rate("multiply-add", 64);  // 32 lanes, two operations each
  costs.exponential_rate = f.largest_rate("exponential", 1);
  costs.bandwidth = bandwidth_of(costs.family["cuda"].copy);
  add_roofs(costs, records.measurements);
  for (const auto& [name, c] : costs.family) {
    const bool copies = !costs.streams.empty() || c.copy.points().size() >= 2;
    if (!copies || costs.bandwidth.empty() || costs.issue_rate <= 0 || c.latency <= 0 || c.launch_host <= 0 ||
        c.node <= 0 || c.graph_repeat.empty())
      throw runtime::UsageError(
          fmt::format("quantities of launches are missing for {}: measure all of "
                      "jobs/plans/launch_model.toml",
                      name));
  }
  for (const Source& source : f.sources()) costs.sources.push_back(source);
  return costs;
}

}  // namespace parity::analysis
