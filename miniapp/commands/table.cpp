// SPDX-License-Identifier: BSD-3-Clause
#include "commands/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "commands/sheet.hpp"
#include "harness/estimate_text.hpp"

namespace parity::commands {
namespace {

using harness::Family;
using harness::Metric;

double seconds(const Measurement& m) { return m.host().value; }

template <class Wanted>
const Measurement* fastest(const std::vector<const Measurement*>& rows, const Wanted& wanted) {
  const Measurement* best = nullptr;
  for (const Measurement* m : rows)
    if (m->comparable() && wanted(*m) && (!best || seconds(*m) < seconds(*best))) best = m;
  return best;
}

/// The metrics that rows have, in their order.
std::vector<Metric> columns_of(const std::vector<Measurement>& rows, bool all) {
  std::vector<Metric> columns;
  for (const Measurement& row : rows)
    for (const Metric& m : row.metrics) {
      if (!all && !is_shown(m)) continue;
      if (std::none_of(columns.begin(), columns.end(), [&m](const Metric& c) { return c.name == m.name; }))
        columns.push_back(m);
    }
  return columns;
}

const Metric* metric_of(const Measurement& row, const std::string& name) {
  for (const Metric& m : row.metrics)
    if (m.name == name) return &m;
  return nullptr;
}

std::string ratio_text(const Measurement& row, const AgainstBaseline& against) {
  if (&row == against.baseline) return "baseline";
  return against.ratio.blocks > 0 ? harness::text_of(against.ratio, {}) : "-";
}

std::string wrong_text(const Measurement& m) {
  return fmt::format("WRONG: {} (error {:.1e}, tolerance {:.0e})", m.verdict.reference, m.verdict.error,
                     m.verdict.tolerance);
}

/// Half an interval; beyond ten times the value its size says nothing.
std::string half_width_text(const harness::Estimate& time) {
  const auto half = time.relative_half_width();
  if (!half) return fmt::format("n = {}", time.blocks);
  return *half < 9.995 ? fmt::format("{:.1f} %", 100 * *half) : ">999 %";
}

/// The columns of a metric are explained where they are there.
std::string notes_on(const std::string& notes, const std::vector<Metric>& columns) {
  std::string text;
  for (std::size_t begin = 0; begin < notes.size();) {
    const std::size_t end = std::min(notes.find('\n', begin), notes.size());
    const std::string line = notes.substr(begin, end - begin);
    const std::string name = line.substr(0, line.find(':'));
    if (std::any_of(columns.begin(), columns.end(), [&name](const Metric& c) { return c.name == name; }))
      text += "\n" + line;
    begin = end + 1;
  }
  return text;
}

void print_comparison(const std::vector<Measurement>& rows, const std::vector<AgainstBaseline>& against,
                      const std::string& notes) {
  const std::vector<Metric> columns = columns_of(rows, false);
  std::size_t widest = 36;
  for (const Measurement& m : rows) widest = std::max(widest, m.full_name().size());
  fmt::print("{:<{}} {:>14} {:>7}", "variant", widest, "time us", "+-");
  for (const Metric& c : columns) fmt::print(" {:>17}", c.unit == "1" ? c.name : c.name + " " + c.unit);
  fmt::print(" {:>24} {:>9} {}\n", "vs baseline", "error", "verdict");
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Measurement& m = rows[k];
    if (!m.timed()) {
      fmt::print("{:<{}} {:>14} {}\n", m.full_name(), widest, "-", wrong_text(m));
      continue;
    }
    fmt::print("{:<{}} {:>14.3f} {:>7}", m.full_name(), widest, 1e6 * seconds(m), half_width_text(m.host()));
    for (const Metric& c : columns) {
      const Metric* const found = metric_of(m, c.name);
      fmt::print(" {:>17}", found ? value_text(*found) : "-");
    }
    fmt::print(" {:>24} {:>9.1e} ok\n", ratio_text(m, against[k]), m.verdict.error);
  }
  fmt::print(
      "+-: half the 95 % interval, made to hold the time of the next run. vs baseline: baseline time / "
      "time{}\n",
      notes_on(notes, columns));
}

void print_results(const std::vector<Measurement>& rows) {
  fmt::print("  {:<26} {:>11} {:>26}  {}\n", "variant", "us", "95 % interval", "check");
  for (const Measurement& m : rows) {
    if (!m.verdict.passed()) {
      fmt::print("  {:<26} {:>11} {:>26}  FAILED: {} (off by {:.1e}, tolerance {:.0e})\n", m.name(), "-", "",
                 m.verdict.reference, m.verdict.error, m.verdict.tolerance);
      continue;
    }
    const harness::NumberFormat us{1e6, 4};
    fmt::print("  {:<26} {:>11} {:>26}  {}\n", m.name(), us.of(seconds(m)),
               harness::interval_text(m.host(), us), doubt_text(m) + m.verdict.reference);
  }
}

}  // namespace

bool is_called(const std::string& wanted, const std::string& study, const std::string& variant,
               const std::string& name) {
  return wanted == name || wanted == variant || wanted == study + "/" + name ||
         wanted == study + "/" + variant;
}

const Measurement* find_baseline(const std::vector<const Measurement*>& rows, const std::string& asked) {
  if (!asked.empty()) {
    for (const Measurement* m : rows)
      if (m->timed() && is_called(asked, m->study, m->variant, m->name())) return m;
    return nullptr;
  }
  const Measurement* const native = fastest(rows, [](const Measurement& m) {
    return m.ranked() && (m.family == Family::openmp || m.family == Family::cuda);
  });
  const Measurement* const any =
      native ? native : fastest(rows, [](const Measurement& m) { return m.ranked(); });
  return any ? any : fastest(rows, [](const Measurement&) { return true; });
}

std::vector<AgainstBaseline> against_baselines(const std::vector<Measurement>& rows,
                                               const std::string& baseline) {
  using Place = std::tuple<std::string, std::string, std::string>;  // run, study, problem
  std::map<Place, std::vector<const Measurement*>> groups;
  for (const Measurement& m : rows) groups[{m.run.id, m.study, m.problem_text()}].push_back(&m);
  std::vector<AgainstBaseline> all(rows.size());
  for (const auto& [place, group] : groups) {
    const Measurement* const base = find_baseline(group, baseline);
    if (!base) continue;
    for (const Measurement* m : group)
      if (m->method == base->method)
        all[std::size_t(m - rows.data())] = {base, harness::time_ratio(*base, *m)};
  }
  return all;
}

bool is_shown(const Metric& metric) {
  return metric.better != harness::Better::neither || metric.unit == "1";
}

std::string value_text(const Metric& m) {
  return m.unit == "1" ? fmt::format("{:.0f} %", 100 * m.value) : fmt::format("{:.4g}", m.value);
}

void print_table(const harness::Study& study, const std::vector<Measurement>& rows,
                 const std::string& baseline) {
  if (study.times_are_results()) {
    print_results(rows);
    return;
  }
  print_comparison(rows, against_baselines(rows, baseline), study.table_notes());
}

namespace {

/// The parameters in which the problems of a study's pairs differ: "steps=10 precision=float".
std::string what_varies(const std::vector<analysis::Pair>& pairs, const Measurement& row) {
  std::string text;
  for (const auto& [name, value] : row.problem) {
    const bool varies = std::any_of(pairs.begin(), pairs.end(), [&n = name, &v = value, &row](const auto& p) {
      const auto at = p.portable->problem.find(n);
      return p.portable->study == row.study && at != p.portable->problem.end() && at->second != v;
    });
    if (varies) text += " " + name + "=" + harness::to_string(value);
  }
  return text;
}

/// The first version and the fastest portable variant side by side, if tuned ones were measured.
void print_columns(const std::vector<analysis::Pair>& pairs, bool with_problem) {
  if (std::none_of(pairs.begin(), pairs.end(), [](const auto& p) { return p.portable->expert; })) return;
  fmt::print("\nthe same native kernel against the first version in Kokkos, and against tuned Kokkos\n");
  fmt::print("  {:<32} {:<34} {:<34} {}\n", "native", "idiomatic", "best portable", "which is");
  for (const analysis::Columns& c : analysis::columns_of(pairs))
    fmt::print("  {:<32} {:<34} {:<34} {}{}\n", c.best->native->name(),
               c.idiomatic ? analysis::text(*c.idiomatic) : "-", analysis::text(*c.best),
               c.best->portable->name(), with_problem ? "  " + what_varies(pairs, *c.best->portable) : "");
}

}  // namespace

void print_pairs(const std::vector<analysis::Pair>& pairs, bool with_problem) {
  if (pairs.empty()) return;
  fmt::print(
      "\nportable / native (native time / portable time; 1 is parity), with 95 % interval and number of "
      "starts;\nthe native time, and what the portable one takes beyond it\n");
  for (const analysis::Pair& p : pairs)
    fmt::print("  {:<32} / {:<32} {:<34} {:>12.3f} us {:>34}{}\n", p.portable->name(), p.native->name(),
               analysis::text(p), 1e6 * seconds(*p.native),
               harness::text_of(p.difference, {1e9, 0, false, true}) + " ns",
               with_problem ? "  " + what_varies(pairs, *p.portable) : "");
  print_columns(pairs, with_problem);
}

std::string to_csv(const harness::Study& study, const std::vector<Measurement>& rows,
                   const std::string& baseline) {
  const std::vector<Metric> columns = columns_of(rows, true);
  const std::vector<analysis::Pair> pairs = analysis::pairs_of(rows);
  std::string text = "study,variant,kernel,mechanism,tuning,family";
  std::vector<const harness::Parameter*> parameters;  // those that rows name
  for (const harness::Parameter& p : study.parameters())
    if (!p.unsaid ||
        std::any_of(rows.begin(), rows.end(), [&p](const auto& m) { return m.problem.count(p.name) > 0; }))
      parameters.push_back(&p);
  for (const harness::Parameter* p : parameters) text += "," + p->name;
  text +=
      ",starts,samples,median_s,low_s,high_s,device_median_s,setup_s,capture_s,load_s,first_s,store_s,end_to_"
      "end_s";
  for (const Metric& c : columns) {
    text += ',';
    text += csv_cell(c.name + (c.unit == "1" ? "" : " " + c.unit));
  }
  // The time in the unit of the readable table, where it is no metric of its own.
  const bool has_time =
      std::any_of(columns.begin(), columns.end(), [](const Metric& c) { return c.name == "time"; });
  if (!has_time) text += ",time us";
  text +=
      ",baseline,ratio,ratio_low,ratio_high,twin,pair_ratio,pair_low,pair_high,pair_starts,pair_samples,"
      "error,tolerance,"
      "passed,caveat\n";
  const std::vector<AgainstBaseline> against = against_baselines(rows, baseline);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Measurement& m = rows[row];
    const auto& [base, q] = against[row];
    const harness::Estimate time = m.host();
    std::vector<std::string> cells = {m.study,     m.variant, m.kernel,
                                      m.mechanism, m.tuning,  harness::name(m.family)};
    const auto number = [](double v) { return fmt::format("{}", v); };
    const auto add_interval = [&](const harness::Estimate& e) {
      cells.push_back(e.interval ? number(e.interval->low) : "");
      cells.push_back(e.interval ? number(e.interval->high) : "");
    };
    for (const harness::Parameter* p : parameters) {
      const auto value = m.problem.find(p->name);
      cells.push_back(harness::to_string(value == m.problem.end() ? p->standard : value->second));
    }
    cells.push_back(fmt::format("{}", time.blocks));
    cells.push_back(fmt::format("{}", time.samples));
    cells.push_back(number(time.value));
    add_interval(time);
    for (const double v : {m.device().value, m.setup_seconds, m.capture_seconds, m.load_seconds,
                           m.first_seconds, m.store_seconds, m.end_to_end_seconds()})
      cells.push_back(number(v));
    for (const Metric& c : columns) {
      const Metric* const found = metric_of(m, c.name);
      cells.push_back(found ? fmt::format("{}", found->value) : "");
    }
    if (!has_time) cells.push_back(m.timed() ? fmt::format("{}", 1e6 * time.value) : "");
    cells.push_back(base ? base->name() : "");
    cells.push_back(q.blocks > 0 ? number(q.value) : "");
    add_interval(q);
    const analysis::Pair* const pair = analysis::pair_of(pairs, m);
    cells.push_back(pair ? pair->native->name() : "");
    const harness::Estimate r = pair ? pair->ratio : harness::Estimate();
    cells.push_back(pair ? number(r.value) : "");
    add_interval(r);
    cells.push_back(pair ? fmt::format("{}", r.blocks) : "");
    cells.push_back(pair ? fmt::format("{}", r.samples) : "");
    cells.push_back(fmt::format("{}", m.verdict.error));
    cells.push_back(fmt::format("{}", m.verdict.tolerance));
    cells.push_back(m.verdict.passed() ? "1" : "0");
    cells.push_back(m.verdict.caveat);
    for (std::size_t k = 0; k < cells.size(); ++k) text += (k == 0 ? "" : ",") + csv_cell(cells[k]);
    text += "\n";
  }
  return text;
}

std::string doubt_text(const Measurement& m) {
  const std::string why = harness::why_lost(m.host());
  if (!why.empty()) return fmt::format("NOT MEASURABLE here, {}; ", why);
  return m.verdict.caveat.empty() ? "" : "UNRELIABLE: ";
}

std::string metric_text(const Measurement& m) {
  std::string text = harness::time_text(m.host());
  for (const Metric& metric : m.metrics)
    if (metric.better != harness::Better::neither && metric.unit != "1" && metric.name != "time") {
      text += fmt::format(", {:.4g} {}", metric.value, metric.unit);
      break;
    }
  return text;
}

}  // namespace parity::commands
