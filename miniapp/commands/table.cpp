// SPDX-License-Identifier: BSD-3-Clause
// The readable form of measured rows, and what stands beneath them.
#include <fmt/format.h>

#include <omp.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "analysis/cells.hpp"
#include "commands/commands.hpp"
#include "harness/environment.hpp"
#include "harness/statistics.hpp"
#include "runtime/limits.hpp"
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

void print_columns(const std::vector<std::string>& columns,
                   const std::vector<std::vector<std::string>>& rows) {
  const auto width_of = [](const std::string& text) {  // of UTF-8
    return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  };
  std::vector<std::ptrdiff_t> widths(columns.size());
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t k = 0; k < cells.size(); ++k) widths[k] = std::max(widths[k], width_of(cells[k]));
  };
  const auto print = [&](const std::vector<std::string>& cells) {
    for (std::size_t k = 0; k < cells.size(); ++k)
      k == 0 ? fmt::print("  {:<{}}", cells[k], widths[k]) : fmt::print("  {:>{}}", cells[k], widths[k]);
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

/// Four cells an algorithm, if tuned versions were measured.
void print_cells(const std::vector<Measurement>& rows, const std::vector<analysis::Pair>& pairs,
                 bool with_problem) {
  using analysis::Cells;
  const std::vector<Cells> all = analysis::cells_of(rows);
  if (std::none_of(all.begin(), all.end(), [](const Cells& c) { return c[Cells::kokkos_tuned].row; })) return;
  fmt::print("\nspeed relative to the fastest native version of the algorithm, with 95 % interval\n");
  fmt::print("  {:<25} {:<17} {:<17} {:<17} {}\n", "algorithm", "Kokkos, first", "Kokkos, tuned",
             "native, first", "native, tuned");
  std::string problem;
  for (const Cells& c : all) {
    std::string line = fmt::format("  {:<25}", c.algorithm);
    const Measurement* portable = nullptr;
    for (const analysis::Implementation& cell : c.cells) {
      line += fmt::format(" {:<17}", text(cell));
      if (cell.row && !portable) portable = cell.row;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    if (portable->mechanism != "stream") line += "  +" + portable->mechanism;
    if (const std::string now = with_problem ? what_varies(pairs, *portable) : ""; now != problem)
      fmt::print(" {}\n", problem = now);
    fmt::print("{}\n", line);
  }
}

}  // namespace

void print_pairs(const std::vector<Measurement>& rows, const std::vector<analysis::Pair>& pairs,
                 bool with_problem) {
  if (pairs.empty()) return;
  fmt::print(
      "\nportable / native (native time / portable time; 1 is parity), with 95 % interval and number of "
      "starts;\nthe native time, and what the portable one takes beyond it\n");
  for (const analysis::Pair& p : pairs)
    fmt::print("  {:<32} / {:<32} {:<34} {:>12.3f} us {:>34}{}\n", p.portable->name(), p.native->name(),
               analysis::text(p), 1e6 * seconds(*p.native),
               harness::text_of(p.difference, {1e9, 0, false, true}) + " ns",
               with_problem ? "  " + what_varies(pairs, *p.portable) : "");
  print_cells(rows, pairs, with_problem);
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
    add(std::int64_t(time.blocks), std::int64_t(time.samples));
    add_with_interval(time, true);
    add(m.device().value, m.setup_seconds, m.capture_seconds, m.load_seconds, m.first_seconds,
        m.store_seconds, m.end_to_end_seconds());
    for (const Metric& c : metrics) {
      const Metric* const found = metric_of(m, c.name);
      add(found ? Cell(found->value) : Cell());
    }
    if (!has_time) add(m.timed() ? Cell(1e6 * time.value) : Cell());
    add(base ? base->name() : "");
    add_with_interval(ratio, ratio.blocks > 0);
    const analysis::Pair* const pair = analysis::pair_of(pairs, m);
    add(pair ? pair->native->name() : "");
    const harness::Estimate r = pair ? pair->ratio : harness::Estimate();
    add_with_interval(r, pair != nullptr);
    add(pair ? Cell(std::int64_t(r.blocks)) : Cell(), pair ? Cell(std::int64_t(r.samples)) : Cell());
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

void Skipped::print(const char* what) const {
  for (const auto& [reason, names] : by_reason_)
    fmt::print("  {} {}: {}\n", what, fmt::join(names, " "), reason);
}

void print_missing_joules(const std::vector<Measurement>& rows) {
  Skipped without;
  for (const Measurement& row : rows)
    for (const harness::Energy& e : row.energy)
      if (!e.refused.empty()) without.add(row.name(), e.refused);
  without.print("no joules of");
}

void Caveats::add(const Measurement& row) {
  if (!row.timed() || !row.verdict.passed()) return;
  ++rows_;
  ++by_starts_[row.starts.size()];
  const harness::Estimate time = row.host();
  std::string name = row.name();
  if (row.problem.count("quantity") > 0) name += " " + row.word("quantity");
  if (time.noisy()) noisy_.push_back(fmt::format("{} {}", name, harness::time_of(time.least)));
  without_interval_ += !time.interval;
  if (row.verdict.caveat.empty()) return;
  if (std::find(unreliable_.begin(), unreliable_.end(), name) == unreliable_.end())
    unreliable_.push_back(std::move(name));
}

std::string Caveats::noise() const {
  if (rows_ > 0 && without_interval_ == rows_)
    return fmt::format("no 95 % intervals: they need {} starts of the program (--starts, --repeats)",
                       harness::least_blocks);
  if (noisy_.empty()) return "";
  const char* const bind = std::getenv("OMP_PROC_BIND");
  double load = 0;
  const bool known = getloadavg(&load, 1) == 1;
  const int threads = omp_get_max_threads();
  const double quota = runtime::processor_quota();
  const std::size_t shown = std::min<std::size_t>(noisy_.size(), 4);
  return fmt::format(
      "{} of {} row{} {} noisy (their processes' times disagree by more than {:g} %): {} thread{}, "
      "OMP_PROC_BIND {}, load average {} on {} cores{}; {}repeat it on a quiet machine, bind the threads, or "
      "give more --starts. The fastest process of each: {}{}",
      noisy_.size(), rows_, rows_ == 1 ? "" : "s", noisy_.size() == 1 ? "is" : "are",
      100 * harness::noisy_spread, threads, threads == 1 ? "" : "s", bind ? runtime::shown(bind) : "not set",
      known ? fmt::format("{:.1f}", load) : "unknown", omp_get_num_procs(),
      quota > 0 ? fmt::format(", of which a CPU quota allows {:.3g}", quota) : "",
      quota > 0 && quota < threads ? fmt::format("give --threads {:.0f}, ", std::max(1.0, std::floor(quota)))
                                   : "",
      fmt::join(noisy_.begin(), noisy_.begin() + std::ptrdiff_t(shown), ", "),
      shown < noisy_.size() ? fmt::format(" and {} more", noisy_.size() - shown) : "");
}

std::string Caveats::unreliable() const {
  if (unreliable_.empty()) return "";
  return fmt::format("unreliable, because a check of the time failed three times: {}",
                     fmt::join(unreliable_, ", "));
}

std::string Caveats::missing_starts() const {
  if (by_starts_.empty()) return "";
  const std::size_t all = std::max(expected_, by_starts_.rbegin()->first);
  const auto complete = by_starts_.find(all);
  const int fewer = rows_ - (complete == by_starts_.end() ? 0 : complete->second);
  if (fewer == 0) return "";
  return fmt::format(
      "{} of {} row{} {} samples of fewer than {} starts: in the others a check refused it, or it did not "
      "run",
      fewer, rows_, rows_ == 1 ? "" : "s", fewer == 1 ? "has" : "have", all);
}

void Caveats::print() const {
  for (const std::string& text : {missing_starts(), noise(), unreliable()})
    if (!text.empty()) fmt::print("{}\n", text);
  fmt::print("ran on {}\n", harness::machine_text());
}

}  // namespace parity::commands
