// SPDX-License-Identifier: BSD-3-Clause
// The readable form of measured rows, and what stands beneath them.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "commands/commands.hpp"
#include "harness/statistics.hpp"
#include "runtime/text.hpp"

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
  return against.ratio.processes > 0 ? harness::ratio_text(against.ratio, 3) : "-";
}

std::string wrong_text(const Measurement& m) {
  return fmt::format("WRONG: {} (error {:.1e}, tolerance {:.0e})", m.verdict.reference, m.verdict.error,
                     m.verdict.tolerance);
}

/// The columns of a metric are explained where they are there.
std::string notes_on(const std::string& notes, const std::vector<Metric>& columns) {
  std::string text;
  for (std::size_t begin = 0; begin < notes.size();) {
    const std::size_t end = std::min(notes.find('\n', begin), notes.size());
    const std::string line = notes.substr(begin, end - begin);
    const std::string name = line.substr(0, line.find(':'));
    if (std::any_of(columns.begin(), columns.end(), [&name](const Metric& c) { return c.name == name; }))
      text += line + "\n";
    begin = end + 1;
  }
  return text;
}

void print_comparison(const std::vector<Measurement>& rows, const std::vector<AgainstBaseline>& against,
                      const std::string& notes, bool verbose) {
  std::vector<Metric> metrics = columns_of(rows, false);
  if (!verbose && metrics.size() > 1) metrics.resize(1);
  std::vector<std::string> columns = {"variant", "time [95 % interval]"};
  for (const Metric& m : metrics)
    columns.push_back(m.unit == "1" ? m.name : verbose ? m.name + " " + m.unit : m.unit);
  columns.push_back("baseline time / time");
  if (verbose) columns.push_back("error");
  std::vector<std::vector<std::string>> lines;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Measurement& m = rows[k];
    std::vector<std::string>& cells = lines.emplace_back(1, m.name());
    if (!m.timed()) {
      cells.push_back("WRONG");
      continue;
    }
    cells.push_back(harness::time_text(m.host()));
    for (const Metric& c : metrics) {
      const Metric* const found = metric_of(m, c.name);
      cells.push_back(found ? value_text(*found) : "-");
    }
    cells.push_back(ratio_text(m, against[k]));
    if (verbose) cells.push_back(fmt::format("{:.1e}", m.verdict.error));
  }
  fmt::print("\n");
  print_columns(columns, lines);
  for (const Measurement& m : rows)
    if (!m.timed()) fmt::print("  {} is {}\n", m.name(), wrong_text(m));
  if (verbose) fmt::print("{}", notes_on(notes, metrics));
}

void print_results(const std::vector<Measurement>& rows, bool verbose) {
  std::vector<std::vector<std::string>> lines;
  for (const Measurement& m : rows) {
    const bool right = m.verdict.passed();
    lines.push_back({m.name(), right ? harness::time_text(m.host()) : "WRONG"});
    if (!right)
      lines.back().push_back(wrong_text(m).substr(7));
    else if (const std::string doubt = doubt_text(m); verbose || !doubt.empty())
      lines.back().push_back(verbose ? doubt + m.verdict.reference
                                     : doubt.substr(0, doubt.find_first_of(",:;")));
  }
  fmt::print("\n");
  print_columns({"variant", "time [95 % interval]"}, lines);
}

}  // namespace

void print_columns(const std::vector<std::string>& columns,
                   const std::vector<std::vector<std::string>>& rows) {
  const auto width_of = [](const std::string& text) {  // of UTF-8
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  };
  // A name that is longer than most stands in a line of its own; what comes after the columns is a remark.
  constexpr std::ptrdiff_t longest_name = 40;
  std::vector<std::ptrdiff_t> widths(columns.size());
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t k = 0; k < std::min(cells.size(), widths.size()); ++k)
      if (k > 0 || width_of(cells[k]) <= longest_name) widths[k] = std::max(widths[k], width_of(cells[k]));
  };
  const auto print = [&](const std::vector<std::string>& cells) {
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (k == 0 && width_of(cells[k]) > longest_name)
        fmt::print("  {}\n  {:<{}}", cells[k], "", widths[k]);
      else if (k == 0 || k >= widths.size())
        fmt::print("  {:<{}}", cells[k], k == 0 ? widths[k] : 0);
      else
        fmt::print("  {:>{}}", cells[k], widths[k]);
    fmt::print("\n");
  };
  widen(columns);
  for (const auto& row : rows) widen(row);
  print(columns);
  for (const auto& row : rows) print(row);
}

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
                 const std::string& baseline, bool verbose) {
  if (study.about().times_are_results)
    print_results(rows, verbose);
  else
    print_comparison(rows, against_baselines(rows, baseline), study.about().notes, verbose);
}

std::string what_varies(const std::vector<const harness::Values*>& problems, const harness::Values& one) {
  std::string text;
  for (const auto& [name, value] : one)
    if (std::any_of(problems.begin(), problems.end(), [&n = name, &v = value](const harness::Values* other) {
          const auto at = other->find(n);
          return at != other->end() && at->second != v;
        }))
      text += (text.empty() ? "" : " ") + name + "=" + harness::to_string(value);
  return text;
}

void print_pairs(const std::vector<Measurement>& rows, const std::vector<analysis::Pair>& pairs,
                 bool with_problem, bool verbose) {
  using analysis::Cells;
  std::map<std::string, std::vector<const harness::Values*>> problems;  // by study
  for (const analysis::Pair& p : pairs) problems[p.portable->study].push_back(&p.portable->problem);
  const auto varying = [&](const Measurement& m) {
    const std::string text = what_varies(problems[m.study], m.problem);
    return text.empty() ? text : " " + text;
  };
  const std::vector<analysis::CellTable> tables = analysis::tables_of(analysis::cells_of(rows));
  if (tables.empty() && pairs.empty()) return;
  if (!tables.empty())
    fmt::print("\nspeed relative to the fastest native version of the algorithm, with 95 % interval\n");
  for (const analysis::CellTable& table : tables) {
    const auto print = [](const std::string& first, const std::vector<std::string>& cells) {
      std::string line = fmt::format("  {:<25}", first);
      for (const std::string& cell : cells) line += fmt::format(" {:<17}", cell);
      fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    };
    print(table.columns.front() == Cells::kokkos_only ? "algorithm of one form" : "algorithm", table.heads);
    std::string problem;
    for (const Cells& c : table.lines) {
      const Measurement& portable =
          *std::find_if(c.cells.begin(), c.cells.end(), [](auto& x) { return x.row; })->row;
      if (const std::string now = with_problem ? varying(portable) : ""; now != problem)
        fmt::print(" {}\n", problem = now);
      std::vector<std::string> cells;
      for (const Cells::Which which : table.columns) cells.push_back(text(c, which));
      print(c.algorithm + (portable.mechanism == "stream" ? "" : "+" + portable.mechanism), cells);
    }
  }
  if (!verbose || pairs.empty()) return;
  fmt::print(
      "\nportable / native (native time / portable time; 1 is parity), with 95 % interval and number of "
      "starts;\nthe native time, and what the portable one takes beyond it\n");
  for (const analysis::Pair& p : pairs)
    fmt::print("  {:<32} / {:<32} {:<34} {:>15} {:>34}{}\n", p.portable->name(), p.native->name(),
               analysis::text(p), harness::time_of(seconds(*p.native)),
               harness::text_of(p.difference, {1e9, 0, false, true}) + " ns",
               with_problem ? "  " + varying(*p.portable) : "");
}

std::string to_csv(const harness::Study& study, const std::vector<Measurement>& rows,
                   const std::string& baseline) {
  const std::vector<Metric> metrics = columns_of(rows, true);
  const std::vector<analysis::Pair> pairs = analysis::pairs_of(rows);
  Sheet sheet{"rows", {"study", "variant", "kernel", "mechanism", "tuning", "family"}, {}};
  std::vector<const harness::Parameter*> parameters;  // those that rows name
  for (const harness::Parameter& p : study.parameters())
    if (!p.unsaid ||
        std::any_of(rows.begin(), rows.end(), [&p](const auto& m) { return m.problem.count(p.name) > 0; }))
      parameters.push_back(&p), sheet.columns.push_back(p.name);
  for (const char* column : {"starts", "samples", "median_s", "low_s", "high_s", "device_median_s", "setup_s",
                             "capture_s", "load_s", "first_s", "store_s", "end_to_end_s"})
    sheet.columns.emplace_back(column);
  for (const Metric& c : metrics) sheet.columns.push_back(c.name + (c.unit == "1" ? "" : " " + c.unit));
  // The time in the unit of the readable table, where it is no metric of its own.
  const bool has_time =
      std::any_of(metrics.begin(), metrics.end(), [](const Metric& c) { return c.name == "time"; });
  if (!has_time) sheet.columns.emplace_back("time us");
  for (const char* column :
       {"baseline", "ratio", "ratio_low", "ratio_high", "twin", "pair_ratio", "pair_low", "pair_high",
        "pair_starts", "pair_samples", "error", "tolerance", "passed", "caveat"})
    sheet.columns.emplace_back(column);
  const std::vector<AgainstBaseline> against = against_baselines(rows, baseline);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Measurement& m = rows[row];
    const auto& [base, ratio] = against[row];
    const harness::Estimate time = m.host();
    std::vector<Cell> cells = {m.study,     m.variant, m.kernel,
                               m.mechanism, m.tuning,  std::string(harness::name(m.family))};
    const auto add = [&cells](const auto&... values) { (cells.emplace_back(values), ...); };
    const auto add_with_interval = [&](const harness::Estimate& e, bool known) {
      add(known ? Cell(e.value) : Cell(), e.interval ? Cell(e.interval->low) : Cell(),
          e.interval ? Cell(e.interval->high) : Cell());
    };
    for (const harness::Parameter* p : parameters) {
      const auto value = m.problem.find(p->name);
      add(harness::to_string(value == m.problem.end() ? p->standard : value->second));
    }
    add(std::int64_t(time.processes), std::int64_t(time.samples));
    add_with_interval(time, true);
    add(m.device().value, m.setup_seconds, m.capture_seconds, m.load_seconds, m.first_seconds,
        m.store_seconds, m.end_to_end_seconds());
    for (const Metric& c : metrics) {
      const Metric* const found = metric_of(m, c.name);
      add(found ? Cell(found->value) : Cell());
    }
    if (!has_time) add(m.timed() ? Cell(1e6 * time.value) : Cell());
    add(base ? base->name() : "");
    add_with_interval(ratio, ratio.processes > 0);
    const analysis::Pair* const pair = analysis::pair_of(pairs, m);
    add(pair ? pair->native->name() : "");
    const harness::Estimate r = pair ? pair->ratio : harness::Estimate();
    add_with_interval(r, pair != nullptr);
    add(pair ? Cell(std::int64_t(r.processes)) : Cell(), pair ? Cell(std::int64_t(r.samples)) : Cell());
    add(m.verdict.error, m.verdict.tolerance, m.verdict.passed(), m.verdict.caveat);
    sheet.rows.push_back(std::move(cells));
  }
  return csv_of(sheet);
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

void Skipped::add(const std::string& name, const std::string& reason) {
  ++rows_;
  const auto same =
      std::find_if(by_reason_.begin(), by_reason_.end(), [&](const auto& g) { return g.first == reason; });
  if (same == by_reason_.end())
    by_reason_.push_back({reason, {name}});
  else if (std::find(same->second.begin(), same->second.end(), name) == same->second.end())
    same->second.push_back(name);
}

void Skipped::add(const std::vector<harness::SkippedRow>& rows) {
  for (const harness::SkippedRow& s : rows) add(s.row.name(), s.reason);
}

void Skipped::print(const char* what, std::size_t most) const {
  for (const auto& [reason, names] : by_reason_) {
    const std::size_t shown = std::min(names.size(), most);
    const std::string line = fmt::format(
        "  {} {}{}: {}", what, fmt::join(names.begin(), names.begin() + std::ptrdiff_t(shown), " "),
        shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "", reason);
    fmt::print("{}\n", most < std::size_t(-1) ? wrapped(line, 100, 4) : line);
  }
}

void print_missing_joules(const std::vector<Measurement>& rows) {
  Skipped without;
  for (const Measurement& row : rows)
    for (const harness::Energy& e : row.energy)
      if (!e.refused.empty()) without.add(row.name(), e.refused);
  without.print("no joules of");
}

}  // namespace parity::commands
