// SPDX-License-Identifier: BSD-3-Clause
// Prints measured results in readable form, with the notes below them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
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

/// True if noise hides a quantity of launches, which is a difference of times.
bool is_lost(const Measurement& m) {
  return m.problem.count("quantity") > 0 && !harness::why_lost(m.host()).empty();
}
bool is_certain(const analysis::Pair& p) {
  return !is_disturbed(*p.portable) && !is_disturbed(*p.native) && !is_lost(*p.portable) &&
         !is_lost(*p.native);
}

/// The ratio with as many digits as are known; without its interval if the machine was busy.
std::string ratio_text(const harness::Estimate& ratio, const Measurement& a, const Measurement& b,
                       int digits) {
  if (is_lost(a) || is_lost(b)) return "hidden by noise";
  if (is_disturbed(a) || is_disturbed(b)) return fmt::format("{:.{}f} (busy)", ratio.value, digits);
  return harness::ratio_text(ratio, digits);
}

std::string ratio_text(const Measurement& row, const AgainstBaseline& against) {
  if (&row == against.baseline) return "baseline";
  return against.ratio.processes > 0 ? ratio_text(against.ratio, row, *against.baseline, 3) : "-";
}

std::string cell_text(const analysis::Cells& cells, analysis::Cells::Which which) {
  const analysis::Implementation& cell = cells[which];
  const Measurement& native = cells.fastest_native();
  if (cell.row == &native) return "1";
  if (!cell.row || cell.speed.processes == 0) return "-";
  return ratio_text(cell.speed, *cell.row, native, 2);
}

/// False for a method with less than one operation per pair: its pairs per second are no rate.
bool sums_pairs(const Measurement& m, const Metric& rate) {
  return rate.unit != "Gpair/s" || m.model.flops >= 1e9 * rate.value * seconds(m);
}

std::string wrong_text(const Measurement& m) {
  return fmt::format("WRONG: {} (error {:.1e}, tolerance {:.0e})", m.verdict.reference, m.verdict.error,
                     m.verdict.tolerance);
}

/// The notes on the columns that the table has.
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
    cells.push_back(time_text(m));
    for (const Metric& c : metrics) {
      const Metric* const found = metric_of(m, c.name);
      cells.push_back(found && sums_pairs(m, *found) ? value_text(*found) : "-");
    }
    cells.push_back(ratio_text(m, against[k]));
    if (verbose) cells.push_back(fmt::format("{:.1e}", m.verdict.error));
  }
  fmt::print("\n");
  print_columns(columns, lines);
  for (const Measurement& m : rows)
    if (!m.timed()) fmt::print("{}\n", wrapped(fmt::format("  {} is {}", m.name(), wrong_text(m)), 100, 4));
  if (verbose) fmt::print("{}", wrapped(notes_on(notes, metrics), 100, 2));
}

void print_results(const std::vector<Measurement>& rows, bool verbose) {
  std::vector<std::vector<std::string>> lines;
  for (const Measurement& m : rows) {
    const bool right = m.verdict.passed();
    lines.push_back({m.name(), right ? time_text(m) : "WRONG"});
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

bool is_disturbed(const Measurement& m) {
  const auto [preempted, known] = harness::preempted(m.preemptions);
  return 2 * preempted > known && m.host().noisy();
}

std::string ratio_text(const analysis::Pair& p, int digits) {
  return ratio_text(p.ratio, *p.portable, *p.native, digits);
}

std::string time_text(const Measurement& m) {
  return is_disturbed(m) ? harness::time_of(m.host().value) + " (busy)" : harness::time_text(m.host());
}

std::string difference_text(const harness::Estimate& e) {
  double largest = std::abs(e.value);
  if (e.interval) largest = std::max({largest, std::abs(e.interval->low), std::abs(e.interval->high)});
  harness::NumberFormat format{1, 3, true, true};
  const char* unit = "s";
  for (const char* smaller : {"ms", "us", "ns"})
    if (largest * format.factor < 1) format.factor *= 1e3, unit = smaller;
  return fmt::format("{} {} {}", format.of(e.value), unit, harness::interval_text(e, format));
}

void print_columns(const std::vector<std::string>& columns,
                   const std::vector<std::vector<std::string>>& rows) {
  const auto width_of = [](const std::string& text) {  // counts UTF-8 characters
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  };
  constexpr std::ptrdiff_t screen = 100, longest_name = 40, least_name = 24;
  std::vector<std::ptrdiff_t> widths(columns.size());
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t k = 0; k < std::min(cells.size(), widths.size()); ++k)
      if (k > 0 || width_of(cells[k]) <= longest_name) widths[k] = std::max(widths[k], width_of(cells[k]));
  };
  widen(columns);
  for (const auto& row : rows) widen(row);
  // A name that is too long stands in a line of its own; columns that still do not fit a screen go to a table
  // below.
  const auto all =
      std::accumulate(widths.begin() + 1, widths.end(), 2 + 2 * (std::ptrdiff_t(widths.size()) - 1));
  if (all + widths[0] > screen && all + std::min(widths[0], least_name) <= screen) widths[0] = screen - all;
  std::size_t fit = std::min<std::size_t>(2, columns.size());
  for (std::ptrdiff_t total = 2 + widths[0] + (fit > 1 ? 2 + widths[1] : 0); fit < columns.size(); ++fit)
    if ((total += 2 + widths[fit]) > screen) break;
  const auto print = [&](const std::vector<std::string>& cells) {
    std::string line = "  " + cells[0];
    if (width_of(cells[0]) > widths[0]) fmt::print("{}\n", wrapped(line, screen, 6)), line = "  ";
    line += std::string(std::size_t(2 + widths[0] - width_of(line)), ' ');
    for (std::size_t k = 1; k < std::min(cells.size(), fit); ++k)
      line += "  " + std::string(std::size_t(widths[k] - width_of(cells[k])), ' ') + cells[k];
    if (cells.size() > columns.size()) line += "  " + cells.back();  // a caveat without a column
    fmt::print("{}\n", wrapped(line.substr(0, line.find_last_not_of(' ') + 1), screen, 6));
  };
  print(columns);
  for (const auto& row : rows) print(row);
  if (fit == columns.size()) return;
  const auto rest = [fit](const std::vector<std::string>& cells) {
    std::vector<std::string> left = {cells[0]};
    if (cells.size() > fit) left.insert(left.end(), cells.begin() + std::ptrdiff_t(fit), cells.end());
    return left;
  };
  std::vector<std::vector<std::string>> others;
  for (const auto& row : rows) others.push_back(rest(row));
  print_columns(rest(columns), others);
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
    return !m.floor && (m.family == Family::openmp || m.family == Family::cuda);
  });
  const Measurement* const any =
      native ? native : fastest(rows, [](const Measurement& m) { return !m.floor; });
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
  const auto disturbed = std::count_if(rows.begin(), rows.end(), is_disturbed);
  if (disturbed > 0)
    fmt::print(
        "\nBUSY MACHINE: other programs took its processors during most samples of {} of {} results, whose\n"
        "times vary by over {:g} %. Marked (busy), they have no interval: measure them again.\n",
        disturbed, rows.size(), 100 * harness::noisy_spread);
  if (!tables.empty())
    fmt::print("\nspeed relative to the fastest native version of the algorithm, with 95 % interval\n");
  for (const analysis::CellTable& table : tables) {
    // Four columns are narrower.
    const auto print = [width = table.heads.size() > 3 ? 25 : 33](const std::string& first,
                                                                  const std::vector<std::string>& cells) {
      std::string line = fmt::format("  {:<{}}", first, width);
      if (std::ptrdiff_t(first.size()) > width) line += fmt::format("\n  {:<{}}", "", width);
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
      for (const Cells::Which which : table.columns) cells.push_back(cell_text(c, which));
      print(c.algorithm + (portable.mechanism == "stream" ? "" : "+" + portable.mechanism), cells);
    }
  }
  if (!verbose || pairs.empty()) return;
  fmt::print(
      "\npairs: native time / Kokkos time (1 is parity) with 95 % interval, starts of the program, the\n"
      "native time, and what Kokkos takes beyond it\n");
  std::string problem;
  std::vector<std::vector<std::string>> lines;
  const auto flush = [&] {
    if (!problem.empty()) fmt::print(" {}\n", wrapped(problem, 99, 2));
    if (!lines.empty()) print_columns({"Kokkos / native", "ratio", "n", "native", "beyond it"}, lines);
    lines.clear();
  };
  for (const analysis::Pair& p : pairs) {
    if (const std::string now = with_problem ? varying(*p.portable) : ""; now != problem)
      flush(), problem = now;
    lines.push_back({p.portable->name() + " / " + p.native->name(), ratio_text(p, 3),
                     std::to_string(p.ratio.processes), harness::time_of(seconds(*p.native)),
                     is_certain(p) ? difference_text(p.difference) : "-"});
  }
  flush();
}

std::string to_csv(const harness::Studies& studies, const std::vector<Measurement>& rows,
                   const std::string& baseline) {
  const std::vector<Metric> metrics = columns_of(rows, true);
  const std::vector<analysis::Pair> pairs = analysis::pairs_of(rows);
  TableExport table_export{"rows", {"study", "variant", "kernel", "mechanism", "tuning", "family"}, {}};
  std::vector<const harness::Parameter*> parameters;  // those that results name
  for (const harness::Study* s : studies)
    for (const harness::Parameter& p : s->parameters())
      if (std::count(table_export.columns.begin(), table_export.columns.end(), p.name) == 0 &&
          (!p.omit_if_default || std::any_of(rows.begin(), rows.end(),
                                             [&p](const auto& m) { return m.problem.count(p.name) > 0; })))
        parameters.push_back(&p), table_export.columns.push_back(p.name);
  for (const char* column : {"starts", "samples", "median_s", "low_s", "high_s", "device_median_s", "setup_s",
                             "capture_s", "load_s", "first_s", "store_s", "end_to_end_s"})
    table_export.columns.emplace_back(column);
  for (const Metric& c : metrics)
    table_export.columns.push_back(c.name + (c.unit == "1" ? "" : " " + c.unit));
  // The time in the unit of the readable table, if it is no metric already.
  const bool has_time =
      std::any_of(metrics.begin(), metrics.end(), [](const Metric& c) { return c.name == "time"; });
  if (!has_time) table_export.columns.emplace_back("time us");
  for (const char* column :
       {"baseline", "ratio", "ratio_low", "ratio_high", "twin", "pair_ratio", "pair_low", "pair_high",
        "pair_starts", "pair_samples", "error", "tolerance", "passed", "caveat"})
    table_export.columns.emplace_back(column);
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
    table_export.rows.push_back(std::move(cells));
  }
  return csv_of(table_export);
}

std::string doubt_text(const Measurement& m) {
  const std::string why = harness::why_lost(m.host());
  if (!why.empty()) return fmt::format("NOT MEASURABLE here, {}; ", why);
  return m.verdict.caveat.empty() ? "" : "UNRELIABLE: ";
}

std::string metric_text(const Measurement& m) {
  std::string text = time_text(m);
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
    fmt::print("{}\n", wrapped(line, 100, 4));
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
