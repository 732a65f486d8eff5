// SPDX-License-Identifier: BSD-3-Clause
// Findings of sweeps: launches, tunings, ranks.
#include "analysis/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "analysis/pairs.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

using runtime::ends_with;

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

bool is_figure(const std::string& q) {
  return q == "null-overhead" || q == "dispatch" || q == "fusion-overhead" || q == "other-overhead" ||
         q == "total-overhead" || q == "latency";
}
bool is_of_graphs(const std::string& q) { return q.rfind("graph-", 0) == 0 || q == "node"; }
/// True if launched as in the original work: one block without arguments, on one GPU or several.
bool is_plain(const Measurement& m) {
  return m.integer("blocks") == 1 && m.integer("threads") == 128 && m.integer("argument_bytes") == 0;
}
/// The launch function of a result, with the number of GPUs if there are several.
std::string function_of(const Measurement& m) {
  const std::int64_t devices = m.integer("devices");
  return devices == 1 ? m.variant : fmt::format("{}, {} GPUs", m.variant, devices);
}

bool counts(const Measurement& m) { return m.study == "launch" && m.verdict.passed() && m.timed(); }

/// The row's cell in the launch functions' table; empty if it has none.
std::string cell_of(const Measurement& m) {
  if (!counts(m) || !is_figure(m.word("quantity")) || !is_plain(m)) return "";
  return function_of(m) + " " + m.word("quantity") + " " + m.word("unit");
}

struct Axis {
  const char *title, *name, *parameter;
  int least;  ///< minimum number of values for a sweep
  bool (*has)(const Measurement&);
  std::string (*common)(const Measurement&);
  std::string (*column)(const Measurement&);
};

std::string quantity(const Measurement& m) { return m.word("quantity"); }
std::string topology(const Measurement& m) { return m.word("topology"); }
std::string gpus(const Measurement& m) {
  return m.integer("devices") == 1 ? "" : fmt::format("{} GPUs", m.integer("devices"));
}
std::string threads(const Measurement& m) { return fmt::format("{:4d}", m.integer("threads")); }
std::string shape(const Measurement& m) {
  return fmt::format("{}x{}", m.integer("blocks"), m.integer("threads"));
}
bool is_of_a_launch(const Measurement& m) {
  const std::string q = quantity(m);
  return (q == "dispatch" || q == "throughput" || q == "latency" || q == "device-interval") &&
         m.integer("threads") == 128;
}

const Axis axes[] = {
    {"graphs by nodes (forking: by forks of five)", "nodes", "launches", 1,
     [](const Measurement& m) { return is_of_graphs(quantity(m)); }, topology, quantity},
    {"one pass of a barrier by blocks and threads", "blocks", "blocks", 1,
     [](const Measurement& m) { return quantity(m) == "barrier"; }, gpus, threads},
    {"launches by the size of arguments", "bytes", "argument_bytes", 3,
     [](const Measurement& m) { return is_of_a_launch(m) && m.integer("blocks") == 1; }, gpus, quantity},
    {"launches by blocks", "blocks", "blocks", 3,
     [](const Measurement& m) { return is_of_a_launch(m) && m.integer("argument_bytes") == 0; }, gpus,
     quantity},
    {"kernels that copy", "bytes", "bytes", 3, [](const Measurement& m) { return quantity(m) == "copy"; },
     shape, quantity}};

SweepsOver sweeps_over(const Axis& axis, const std::vector<Measurement>& rows) {
  const auto cell = [&axis](const Measurement& m) {
    if (!counts(m) || !m.verdict.caveat.empty() || !axis.has(m)) return std::string();
    return fmt::format("{} {} {} {}", m.variant, axis.common(m), m.integer(axis.parameter), axis.column(m));
  };
  SweepsOver found{axis.title, axis.name, {}};
  for (const Measurement* const m : of_latest_runs(rows, cell))
    sweep(found.sweeps, m->variant, axis.common(*m))
        .rows[m->integer(axis.parameter)]
        .emplace(axis.column(*m), m);
  found.sweeps.erase(std::remove_if(found.sweeps.begin(), found.sweeps.end(),
                                    [&axis](const Sweep& s) { return int(s.rows.size()) < axis.least; }),
                     found.sweeps.end());
  return found;
}

bool is_same_place(const Measurement& a, const Measurement& b) {
  return a.study == b.study && a.problem == b.problem && a.mechanism == b.mechanism;
}

std::int64_t integer_or(const Measurement& m, const char* parameter, std::int64_t standard) {
  return m.problem.count(parameter) ? m.integer(parameter) : standard;
}

/// Sizes along the axes that ranks divide, and the ranks along each. A ring's samples are one such axis.
struct Split {
  std::int64_t n[3] = {1, 1, 1};
  int ranks[3] = {1, 1, 1};
  int all_ranks() const { return ranks[0] * ranks[1] * ranks[2]; }
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  Key whole() const { return {n[0], n[1], n[2]}; }
  std::optional<Key> part() const {
    for (int k = 0; k < 3; ++k)
      if (n[k] % ranks[k] != 0) return std::nullopt;
    return Key(n[0] / ranks[0], n[1] / ranks[1], n[2] / ranks[2]);
  }
};

bool is_ring(const Measurement& m) { return m.study == "kde"; }

bool scales(const Measurement& m) {
  if (!m.comparable()) return false;
  if (is_ring(m)) return m.problem.count("n") && ends_with(m.kernel, "-ring");
  return m.study == "diffusion" && m.problem.count("nx") && m.problem.count("steps");
}

Split split_of(const Measurement& m) {
  if (is_ring(m)) return {{m.integer("n"), 1, 1}, {int(integer_or(m, "ranks", 1)), 1, 1}};
  return {
      {m.integer("nx"), m.integer("ny"), m.integer("nz")},
      {int(integer_or(m, "ranks_x", 1)), int(integer_or(m, "ranks_y", 1)), int(integer_or(m, "ranks_z", 1))}};
}

double seconds_of(const Measurement& m) {
  return is_ring(m) ? m.host().value : m.host().value / double(m.integer("steps"));
}

/// Key of results that do the same work on the same device: they differ in size, ranks and message transport,
/// which one rank does not use.
using SameWork = std::tuple<std::string, std::string, std::string, std::string, std::int64_t, std::string>;
SameWork same_work_of(const Measurement& m) {
  const std::string kernel =
      ends_with(m.kernel, "-nccl") ? m.kernel.substr(0, m.kernel.size() - 5) : m.kernel;
  return {m.study + " " + kernel,   m.mechanism, m.tuning, m.word("precision"),
          integer_or(m, "halo", 2), m.run.device};
}

/// Key of results of as many points on as many ranks, by the same family of code.
using SamePoints =
    std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::string>;
SamePoints same_points_of(const Measurement& m) {
  const Split split = split_of(m);
  return {m.study + " " + std::string(harness::name(m.family)),
          m.word("precision"),
          integer_or(m, "halo", 2),
          integer_or(m, "steps", 1),
          split.all_ranks(),
          split.n[0] * split.n[1] * split.n[2],
          m.run.device};
}

}  // namespace

LaunchFindings launch_findings(const std::vector<Measurement>& rows) {
  LaunchFindings found;
  for (const Measurement* const row : of_latest_runs(rows, cell_of)) {
    const Measurement& m = *row;
    const std::string q = quantity(m), name = function_of(m);
    const auto add = [&](const std::string& of_unit) {
      auto& f = find_or_add(found.functions, LaunchFunction{name, of_unit, {}},
                            [&](const LaunchFunction& x) { return x.variant == name && x.unit == of_unit; });
      f.rows.emplace(q, &m);
    };
    add(m.word("unit"));
    // Quantities without work units belong to both kinds.
    if (q == "null-overhead" || q == "dispatch" || q == "latency") add("nanosleep");
  }
  // Drops functions that have only quantities without work units on the nanosleep side.
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

std::vector<Equation3> equation_3(const LaunchFindings& found) {
  std::vector<Equation3> all;
  for (const LaunchFunction& f : found.functions) {
    std::vector<const Measurement*> rows;
    for (const char* quantity : {"total-overhead", "dispatch", "fusion-overhead", "other-overhead"})
      if (const auto row = f.rows.find(quantity); row != f.rows.end() && row->second->verdict.caveat.empty())
        rows.push_back(row->second);
    if (rows.size() < 4) continue;
    const Equation3 e{f.variant, f.unit, rows[0]->host().value,
                      harness::time_left(*rows[0], {rows.begin() + 1, rows.end()})};
    if (e.rest.interval) all.push_back(e);
  }
  return all;
}

std::vector<Tuned> best_tunings(const std::vector<Measurement>& rows) {
  std::vector<Tuned> all;
  std::vector<std::set<std::string>> tunings;
  for (const Measurement& m : rows) {
    if (m.tuning.empty() || !m.comparable()) continue;
    const auto at = std::find_if(all.begin(), all.end(), [&m](const Tuned& t) {
      return is_same_place(*t.best, m) && t.best->kernel == m.kernel;
    });
    const std::size_t k = std::size_t(at - all.begin());
    if (at == all.end()) {
      all.push_back({&m, nullptr, 0});
      tunings.emplace_back();
    }
    Tuned& t = all[k];
    tunings[k].insert(m.tuning);
    t.tried = int(tunings[k].size());
    const double time = m.host().value;
    // If a tuning was measured twice, its shorter time counts, once.
    if (time < t.best->host().value) {
      if (t.best->tuning != m.tuning) t.second = t.best;
      t.best = &m;
    } else if (t.best->tuning != m.tuning && (!t.second || time < t.second->host().value)) {
      t.second = &m;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Tuned& a, const Tuned& b) {
    return a.best->study != b.best->study ? a.best->study < b.best->study : a.best->problem < b.best->problem;
  });
  return all;
}

std::vector<std::string> unequal_budgets(const std::vector<Measurement>& rows) {
  const std::vector<Tuned> tuned = best_tunings(rows);
  const auto tried = [&tuned](const Measurement& place, const std::string& kernel,
                              const std::string& mechanism) {
    for (const Tuned& t : tuned)
      if (t.best->study == place.study && t.best->problem == place.problem && t.best->kernel == kernel &&
          t.best->mechanism == mechanism)
        return t.tried;
    return 0;
  };
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const Measurement& p : rows) {
    if (p.twin.empty() || !p.comparable() ||
        !seen.insert(p.study + "/" + p.variant + " " + p.problem_text()).second)
      continue;
    const int portable = tried(p, p.kernel, p.mechanism), native = tried(p, p.twin, native_mechanism(p));
    if (portable != native)
      lines.push_back(fmt::format("{} was tried with {} tunings, its twin {} with {}: {}", p.variant,
                                  portable, p.twin, native, p.problem_text()));
  }
  return lines;
}

std::vector<ScaledRow> scaled_rows(const std::vector<Measurement>& rows) {
  std::map<std::pair<SameWork, Split::Key>, const Measurement*> alone;
  for (const Measurement& m : rows)
    if (scales(m) && split_of(m).all_ranks() == 1)
      alone.try_emplace({same_work_of(m), split_of(m).whole()}, &m);
  std::map<SamePoints, double> z_cut;
  for (const Measurement& m : rows)
    if (scales(m) && !m.floor && split_of(m).ranks[0] * split_of(m).ranks[1] == 1) {
      const auto [at, is_first] = z_cut.try_emplace(same_points_of(m), seconds_of(m));
      at->second = std::min(at->second, seconds_of(m));
    }
  std::vector<ScaledRow> scaled;
  for (const Measurement& m : rows) {
    if (!scales(m) || split_of(m).all_ranks() == 1) continue;
    const Split split = split_of(m);
    ScaledRow s{&m, split.all_ranks(), seconds_of(m), {}, {}, {}};
    if (const auto best = z_cut.find(same_points_of(m)); best != z_cut.end() && !m.floor)
      s.of_z_cut = best->second / s.seconds;
    if (const auto part = split.part(); part && !is_ring(m))  // a ring's part is no problem of its own
      if (const auto one = alone.find({same_work_of(m), *part}); one != alone.end())
        s.weak = seconds_of(*one->second) / s.seconds;
    if (const auto one = alone.find({same_work_of(m), split.whole()}); one != alone.end())
      s.strong = seconds_of(*one->second) / (s.ranks * s.seconds);
    scaled.push_back(s);
  }
  if (scaled.empty())
    throw runtime::UsageError(
        "no verified row of several ranks is in these records: measure jobs/plans/scaling_weak.toml or "
        "scaling_strong.toml under mpirun");
  return scaled;
}

}  // namespace parity::analysis
