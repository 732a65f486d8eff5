// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/launch_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/origins.hpp"

namespace parity::analysis {
namespace {

template <class T, class Same>
T& find_or_add(std::vector<T>& all, T candidate, const Same& same) {
  const auto found = std::find_if(all.begin(), all.end(), same);
  if (found != all.end()) return *found;
  all.push_back(std::move(candidate));
  return all.back();
}

Sweep& sweep(std::vector<Sweep>& all, const std::string& variant, const std::string& title) {
  return find_or_add(all, Sweep{variant, title, {}},
                     [&](const Sweep& s) { return s.variant == variant && s.title == title; });
}

}  // namespace

std::vector<Equation3> equation_3(const LaunchFindings& found) {
  std::vector<Equation3> all;
  for (const LaunchFunction& f : found.functions) {
    const auto total = f.rows.find("total-overhead");
    std::vector<const harness::Measurement*> terms;
    for (const char* term : {"dispatch", "fusion-overhead", "other-overhead"})
      if (const auto t = f.rows.find(term); t != f.rows.end()) terms.push_back(t->second);
    if (total == f.rows.end() || terms.size() < 3) continue;
    const Equation3 e{f.variant, f.unit, total->second->host().value,
                      harness::time_left(*total->second, terms)};
    if (e.rest.interval) all.push_back(e);
  }
  return all;
}

namespace {

/// The lines of 'node' of a variant, by nodes; straight lines of nodes alone.
std::map<std::int64_t, const harness::Measurement*> nodes_of(const LaunchFindings& found,
                                                             const std::string& variant) {
  std::map<std::int64_t, const harness::Measurement*> rows;
  for (const SweepsOver& over : found.sweeps)
    for (const Sweep& s : over.sweeps) {
      if (s.variant != variant || s.title != "line") continue;
      for (const auto& [nodes, quantities] : s.rows)
        if (const auto node = quantities.find("node"); node != quantities.end())
          rows.emplace(nodes, node->second);
    }
  return rows;
}

}  // namespace

std::vector<NodeCost> node_costs(const LaunchFindings& found) {
  const auto kernels = nodes_of(found, "cuda-graph");
  std::vector<NodeCost> all;
  for (const char* kind : {"empty", "memcpy", "memset"})
    for (const auto& [nodes, both] : nodes_of(found, std::string("cuda-graph-") + kind))
      if (const auto kernel = kernels.find(nodes); kernel != kernels.end())
        if (NodeCost c{kind, nodes, harness::time_left(*both, {kernel->second})}; c.cost.blocks > 0)
          all.push_back(c);
  if (all.empty()) return all;
  for (const auto& [nodes, row] : kernels) all.push_back({"kernel", nodes, row->host()});
  std::stable_sort(all.begin(), all.end(),
                   [](const NodeCost& a, const NodeCost& b) { return a.nodes < b.nodes; });
  return all;
}

namespace {

bool is_figure(const std::string& q) {
  return q == "null-overhead" || q == "dispatch" || q == "fusion-overhead" || q == "other-overhead" ||
         q == "total-overhead" || q == "latency";
}
bool is_of_graphs(const std::string& q) { return q.rfind("graph-", 0) == 0 || q == "node"; }
/// As the original work launched: one block without arguments on one GPU.
bool is_plain(const harness::Measurement& m) {
  return m.integer("blocks") == 1 && m.integer("threads") == 128 && m.integer("argument_bytes") == 0 &&
         m.integer("devices") == 1;
}

bool counts(const harness::Measurement& m) { return m.study == "launch" && m.verdict.passed() && m.timed(); }

/// The cell of the launch functions' table that a row is for; empty where it is for none.
std::string cell_of(const harness::Measurement& m) {
  if (!counts(m) || !is_figure(m.word("quantity")) || !is_plain(m)) return "";
  return m.variant + " " + m.word("quantity") + " " + m.word("unit");
}

/// A parameter over which quantities are shown.
struct Axis {
  const char *title, *name, *parameter;
  int least;  ///< values that make a sweep
  bool (*has)(const harness::Measurement&);
  std::string (*common)(const harness::Measurement&);
  std::string (*column)(const harness::Measurement&);
};

std::string quantity(const harness::Measurement& m) { return m.word("quantity"); }
std::string topology(const harness::Measurement& m) { return m.word("topology"); }
std::string gpus(const harness::Measurement& m) {
  return m.integer("devices") == 1 ? "" : fmt::format("{} GPUs", m.integer("devices"));
}
std::string threads(const harness::Measurement& m) { return fmt::format("{:4d}", m.integer("threads")); }
std::string shape(const harness::Measurement& m) {
  return fmt::format("{}x{}", m.integer("blocks"), m.integer("threads"));
}
bool is_of_a_launch(const harness::Measurement& m) {
  const std::string q = quantity(m);
  return (q == "dispatch" || q == "throughput" || q == "latency" || q == "device-interval") &&
         m.integer("threads") == 128;
}

const Axis axes[] = {
    {"graphs by nodes (forking: by forks of five)", "nodes", "launches", 1,
     [](const harness::Measurement& m) { return is_of_graphs(quantity(m)); }, topology, quantity},
    {"one pass of a barrier by blocks and threads", "blocks", "blocks", 1,
     [](const harness::Measurement& m) { return quantity(m) == "barrier"; }, gpus, threads},
    {"launches by the size of arguments", "bytes", "argument_bytes", 3,
     [](const harness::Measurement& m) { return is_of_a_launch(m) && m.integer("blocks") == 1; }, gpus,
     quantity},
    {"launches by blocks", "blocks", "blocks", 3,
     [](const harness::Measurement& m) { return is_of_a_launch(m) && m.integer("argument_bytes") == 0; },
     gpus, quantity},
    {"kernels that copy", "bytes", "bytes", 3,
     [](const harness::Measurement& m) { return quantity(m) == "copy"; }, shape, quantity}};

SweepsOver sweeps_over(const Axis& axis, const std::vector<harness::Measurement>& rows) {
  const auto cell = [&axis](const harness::Measurement& m) {
    if (!counts(m) || !axis.has(m)) return std::string();
    return fmt::format("{} {} {} {}", m.variant, axis.common(m), m.integer(axis.parameter), axis.column(m));
  };
  SweepsOver found{axis.title, axis.name, {}};
  for (const harness::Measurement* const m : of_latest_runs(rows, cell))
    sweep(found.sweeps, m->variant, axis.common(*m))
        .rows[m->integer(axis.parameter)]
        .emplace(axis.column(*m), m);
  found.sweeps.erase(std::remove_if(found.sweeps.begin(), found.sweeps.end(),
                                    [&axis](const Sweep& s) { return int(s.rows.size()) < axis.least; }),
                     found.sweeps.end());
  return found;
}

}  // namespace

LaunchFindings launch_findings(const std::vector<harness::Measurement>& rows) {
  LaunchFindings found;
  for (const harness::Measurement* const row : of_latest_runs(rows, cell_of)) {
    const harness::Measurement& m = *row;
    const std::string q = quantity(m);
    const auto add = [&](const std::string& of_unit) {
      auto& f =
          find_or_add(found.functions, LaunchFunction{m.variant, of_unit, {}},
                      [&](const LaunchFunction& x) { return x.variant == m.variant && x.unit == of_unit; });
      f.rows.emplace(q, &m);
    };
    add(m.word("unit"));
    // Quantities without work units belong to both kinds.
    if (q == "null-overhead" || q == "dispatch" || q == "latency") add("nanosleep");
  }
  // A function that has only quantities without units on one side says nothing there.
  found.functions.erase(std::remove_if(found.functions.begin(), found.functions.end(),
                                       [](const LaunchFunction& f) {
                                         return f.unit == "nanosleep" && !f.rows.count("fusion-overhead");
                                       }),
                        found.functions.end());
  for (const Axis& axis : axes)
    if (SweepsOver sweeps = sweeps_over(axis, rows); !sweeps.sweeps.empty())
      found.sweeps.push_back(std::move(sweeps));
  return found;
}

}  // namespace parity::analysis
