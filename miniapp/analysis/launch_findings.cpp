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

/// The cell of the tables that a row is for; empty where it is for none.
std::string cell_of(const harness::Measurement& m) {
  if (m.study != "launch" || !m.verdict.passed() || !m.timed()) return "";
  const std::string q = m.word("quantity"), name = m.variant + " " + q;
  if (is_figure(q)) return is_plain(m) ? name + " " + m.word("unit") : "";
  if (is_of_graphs(q)) return fmt::format("{} {} {}", name, m.word("topology"), m.integer("launches"));
  if (q == "barrier")
    return fmt::format("{} {} {} {}", name, m.integer("devices"), m.integer("blocks"), m.integer("threads"));
  return "";
}

}  // namespace

LaunchFindings launch_findings(const std::vector<harness::Measurement>& rows) {
  LaunchFindings found;
  for (const harness::Measurement* const row : of_latest_runs(rows, cell_of)) {
    const harness::Measurement& m = *row;
    const std::string q = m.word("quantity");
    const std::int64_t devices = m.integer("devices");
    if (is_figure(q)) {
      const auto add = [&](const std::string& of_unit) {
        auto& f =
            find_or_add(found.functions, LaunchFunction{m.variant, of_unit, {}},
                        [&](const LaunchFunction& x) { return x.variant == m.variant && x.unit == of_unit; });
        f.rows.emplace(q, &m);
      };
      add(m.word("unit"));
      // Figures without work units belong to both kinds.
      if (q == "null-overhead" || q == "dispatch" || q == "latency") add("nanosleep");
    }
    if (is_of_graphs(q))
      sweep(found.graphs, m.variant, m.word("topology")).rows[m.integer("launches")].emplace(q, m.host());
    if (q == "barrier")
      sweep(found.barriers, m.variant, devices == 1 ? "" : fmt::format("{} GPUs", devices))
          .rows[m.integer("blocks")]
          .emplace(fmt::format("{:4d}", m.integer("threads")), m.host());
  }
  // A function that has only figures without units on one side says nothing there.
  found.functions.erase(std::remove_if(found.functions.begin(), found.functions.end(),
                                       [](const LaunchFunction& f) {
                                         return f.unit == "nanosleep" && !f.rows.count("fusion-overhead");
                                       }),
                        found.functions.end());
  return found;
}

}  // namespace parity::analysis
