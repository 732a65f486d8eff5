// SPDX-License-Identifier: BSD-3-Clause
// parity compare: finds results or pairs that changed between record files, beyond their noise.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/comparison.hpp"
#include "commands/commands.hpp"
#include "harness/statistics.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using analysis::Beside;
using analysis::Change;

struct Options {
  std::string before;
  Paths after;
  double factor = 1.1;
  bool pairs = false, all = false, native = false;
  ExportOptions exports;
};

const char* word_of(Change change) {
  static constexpr const char* words[] = {
      "same", "faster", "slower", "TOO SLOW", "WRONG", "undecided", "TOO SLOW, without an interval"};
  return words[int(change)];
}

/// Prints lines that fit a screen.
void say(const std::string& line) { fmt::print("{}\n", wrapped(line, 100, 2)); }

bool is_slower(Change c) {
  return c == Change::slower || c == Change::too_slow || c == Change::undecided_slow;
}

/// Says if the same GPUs measured both: another one of the same name has other memory and another clock.
/// Empty without a GPU.
std::string gpus_text(const harness::Records& before, const harness::Records& after) {
  std::set<std::string> old_ones, new_ones;
  bool named = true, any = false;
  for (const auto& [records, found] : {std::pair(&before, &old_ones), std::pair(&after, &new_ones)})
    for (const harness::Environment& e : records->environments) {
      if (e.gpu.empty()) continue;
      any = true;
      named = named && !e.gpu_uuid.empty();
      found->insert(e.gpu_uuid);
    }
  if (!any || old_ones.empty() || new_ones.empty()) return "";
  if (!named) return "whether the GPU was the same is not recorded";
  if (old_ones == new_ones) return fmt::format("the same GPU: {}", fmt::join(old_ones, ", "));
  return fmt::format("another GPU: {} before, {} after", fmt::join(old_ones, ", "),
                     fmt::join(new_ones, ", "));
}

/// Results that have a time in the first file and were skipped in the second.
std::vector<const harness::SkippedRow*> skipped_since(const harness::Records& before,
                                                      const harness::Records& after) {
  std::set<std::string> timed, measured;
  for (const auto& m : before.measurements)
    if (m.timed()) timed.insert(key(m));
  for (const auto& m : after.measurements) measured.insert(key(m));
  std::vector<const harness::SkippedRow*> found;
  for (const harness::SkippedRow& s : after.skipped)
    if (timed.count(key(s.row)) > 0 && measured.insert(key(s.row)).second) found.push_back(&s);
  return found;
}

/// Results that failed their check in a later file and are in no table: the first file lacks them, or they
/// failed there, too.
std::vector<std::string> also_wrong(const std::vector<Measurement>& rows, const std::vector<Beside>& all) {
  std::vector<std::string> found;
  for (const Measurement& m : rows)
    if (!m.verdict.passed() && std::none_of(all.begin(), all.end(), [&m](const Beside& b) {
          return b.study == m.study && b.name == m.name() && b.problem == m.problem;
        }))
      found.push_back(key(m));
  return found;
}

/// Prints how many intervals contain the other run's time, and how wide they are.
void print_intervals(const std::vector<Beside>& all) {
  int intervals = 0, held = 0;
  std::vector<double> reaches;
  for (const Beside& b : all)
    for (std::size_t f = 1; f < b.in.size(); ++f)
      for (const auto& [one, other] : {std::pair(b.in.front(), b.in[f]), std::pair(b.in[f], b.in.front())})
        if (one.interval && b.changes[f] != Change::wrong) {
          ++intervals;
          held += one.interval->contains(other.value);
          reaches.push_back(*one.relative_half_width());
        }
  if (intervals == 0) return;
  say(fmt::format(
      "{} of {} intervals hold the other run's time ({:.1f} %); half of them reach at most {:.1f} % to "
      "either side, {} of {} at most 5 %",
      held, intervals, 100.0 * held / intervals, 100.0 * harness::median_of(reaches),
      std::count_if(reaches.begin(), reaches.end(), [](double r) { return r <= 0.05; }), intervals));
}

/// Names of the files in a table: without folder and extension if that keeps them apart.
std::vector<std::string> short_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& f : files) {
    const std::filesystem::path file = f;
    names.push_back(
        runtime::shown((file.extension() == ".jsonl" ? file.stem() : file.filename()).string(), 200));
  }
  if (std::set(names.begin(), names.end()).size() == names.size()) return names;
  names.clear();
  for (const std::string& f : files) names.push_back(runtime::shown(f, 200));
  return names;
}

/// Prints, for each file, the properties in which environments differ, except the time.
void print_origins(const std::vector<std::string>& names, const std::vector<harness::Records>& records) {
  std::vector<std::string> labels;
  std::vector<std::map<std::string, std::set<std::string>>> values(records.size());
  for (std::size_t f = 0; f < records.size(); ++f)
    for (const harness::Environment& e : records[f].environments)
      for (const auto& [label, value] : e.lines) {
        if (label == "time") continue;
        if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
        values[f][label].insert(value);
      }
  for (std::size_t f = 0; f < records.size(); ++f) {
    std::string text;
    for (const std::string& label : labels) {
      const bool differ = std::any_of(values.begin(), values.end(),
                                      [&](auto& v) { return v[label] != values.front()[label]; });
      if (differ && !values[f][label].empty())
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : "; ", label, fmt::join(values[f][label], " and "));
    }
    say(names[f] + (text.empty() ? "" : "  " + text));
  }
}

/// "3 faster, 1 slower, median x1.002": for the portable or the other results in one file.
std::string counts_text(const std::vector<Beside>& all, std::size_t file, bool portable, bool pairs) {
  int faster = 0, slower = 0, undecided = 0, wrong = 0;
  std::vector<double> factors;
  for (const Beside& b : all) {
    if ((b.family == harness::Family::kokkos) != portable) continue;
    faster += b.changes[file] == Change::faster;
    slower += is_slower(b.changes[file]);
    undecided += b.changes[file] == Change::undecided;
    wrong += b.changes[file] == Change::wrong;
    if (b.changes[file] != Change::wrong) factors.push_back(b.in[file].value / b.in.front().value);
  }
  std::string text =
      fmt::format("{} {}, {} {}", faster, pairs ? "larger" : "faster", slower, pairs ? "smaller" : "slower");
  if (!factors.empty()) text += fmt::format(", median x{:.3f}", harness::median_of(factors));
  if (undecided > 0) text += fmt::format(", {} undecided", undecided);
  if (wrong > 0) text += fmt::format(", {} WRONG", wrong);
  return text;
}

/// "2 in a, 0 in b": results or pairs that some file lacks; empty if all files have all.
std::string apart_text(const std::vector<std::string>& names,
                       const std::vector<std::vector<Measurement>>& sets, std::size_t common, bool pairs) {
  std::string text;
  bool any = false;
  for (std::size_t f = 0; f < sets.size(); ++f) {
    std::set<std::string> found;
    if (pairs)
      for (const analysis::Pair& p : analysis::pairs_of(sets[f])) found.insert(analysis::place_of(p));
    else
      for (const Measurement& m : sets[f])
        if (m.timed()) found.insert(key(m));
    const std::size_t more = found.size() > common ? found.size() - common : 0;
    any = any || more > 0;
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", more, names[f]);
  }
  return any ? text : "";
}

std::string cell_of(const Beside& b, std::size_t file, bool pairs) {
  if (b.changes[file] == Change::wrong) return "WRONG";
  const std::string text = pairs ? harness::text_of(b.in[file], {1, 3}) : harness::time_text(b.in[file]);
  if (file == 0) return text;
  const Change change = b.changes[file];
  if (change == Change::none) return text + " =";
  if (change == Change::undecided) return text + " ?";
  return text + fmt::format(" x{:.3f}{}", b.in[file].value / b.in.front().value,
                            change == Change::undecided_slow ? " ?" : "");
}

TableExport table_export_of(const std::vector<Beside>& all, const std::vector<std::string>& names,
                            bool pairs) {
  const double factor = pairs ? 1 : 1e6;
  TableExport table_export{
      "compare",
      {"name", "problem", "file", pairs ? "ratio" : "time us", "low", "high", "factor", "change"},
      {}};
  for (const Beside& b : all)
    for (std::size_t f = 0; f < names.size(); ++f) {
      const harness::Estimate& e = b.in[f];
      const bool timed = b.changes[f] != Change::wrong;
      const auto end = [&](double harness::Interval::*at) {
        return timed && e.interval ? Cell(factor * ((*e.interval).*at)) : Cell();
      };
      table_export.rows.push_back({b.study + "/" + b.name, harness::text_of(b.problem), names[f],
                                   timed ? Cell(factor * e.value) : Cell(), end(&harness::Interval::low),
                                   end(&harness::Interval::high),
                                   timed ? Cell(e.value / b.in.front().value) : Cell(),
                                   f == 0 ? Cell() : Cell(std::string(word_of(b.changes[f])))});
    }
  return table_export;
}

/// Prints what changed since the first file, with its value in each, and how much changed in all.
int run(const Options& o) {
  Paths files = {o.before};
  files.insert(files.end(), o.after.begin(), o.after.end());
  OutputFiles outputs(o.exports, files);
  std::vector<harness::Records> records;
  for (const std::string& file : files) records.push_back(harness::read_records({file}));
  std::vector<std::vector<Measurement>> sets;
  for (const harness::Records& r : records) sets.push_back(r.measurements);
  const std::vector<Beside> all =
      o.pairs ? analysis::pairs_beside(sets, o.factor) : analysis::rows_beside(sets, o.factor);
  const char* const what = o.pairs ? "pairs" : "rows";
  const std::vector<std::string> names = short_names(files);
  std::vector<std::vector<std::string>> wrong(names.size());
  for (std::size_t f = 1; f < names.size() && !o.pairs; ++f) wrong[f] = also_wrong(sets[f], all);
  if (all.empty() && std::all_of(wrong.begin(), wrong.end(), [](const auto& w) { return w.empty(); }))
    throw runtime::UsageError(fmt::format("{} have no {} in common", fmt::join(files, ", "), what));
  print_origins(names, records);
  std::vector<std::string> columns = {o.pairs ? "pair" : "row"};
  columns.insert(columns.end(), names.begin(), names.end());
  std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> tables;  // by problem
  std::map<std::string, std::vector<const harness::Values*>> problems;                // by study
  for (const Beside& b : all) problems[b.study].push_back(&b.problem);
  int bad = 0;
  for (const Beside& b : all) {
    const auto none = [](Change c) { return c == Change::none || c == Change::undecided; };
    const bool may_slow = o.native && b.family == harness::Family::kokkos;
    bad += std::any_of(b.changes.begin(), b.changes.end(), [may_slow](Change c) {
      return c == Change::wrong || (!may_slow && (c == Change::too_slow || c == Change::undecided_slow));
    });
    if (!o.all && std::all_of(b.changes.begin(), b.changes.end(), none)) continue;
    const std::string problem = what_varies(problems.at(b.study), b.problem);
    if (tables.empty() || tables.back().first != problem) tables.push_back({problem, {}});
    auto& cells = tables.back().second.emplace_back();
    cells.push_back(problems.size() > 1 ? b.study + "/" + b.name : b.name);
    for (std::size_t f = 0; f < names.size(); ++f) cells.push_back(cell_of(b, f, o.pairs));
  }
  if (!tables.empty())
    say(fmt::format("\n{}x: {} that of {}, beyond the noise of both; =: within it; ?: no interval",
                    o.pairs ? "native time / portable time; " : "",
                    o.pairs ? "the ratio over" : "the time over", names.front()));
  for (const auto& [problem, rows] : tables) {
    if (!problem.empty()) fmt::print("{}\n", wrapped(" " + problem, 100, 2));
    print_columns(columns, rows);
  }
  TableExport table_export = table_export_of(all, names, o.pairs);
  say(fmt::format("\n{} {} in all {} files; since {}:", all.size(), what, names.size(), names.front()));
  if (const std::string text = apart_text(names, sets, all.size(), o.pairs); !text.empty())
    say("not in all files: " + text);
  for (const bool portable : {true, false}) {
    const auto count = std::count_if(all.begin(), all.end(), [portable](const Beside& b) {
      return (b.family == harness::Family::kokkos) == portable;
    });
    for (std::size_t f = 1; f < names.size() && count > 0; ++f)
      say(fmt::format("{}: {} {}, {}", names[f], count,
                      o.pairs    ? "pairs"
                      : portable ? "portable rows"
                                 : "native rows",
                      counts_text(all, f, portable, o.pairs)));
  }
  const bool undecided = std::any_of(all.begin(), all.end(), [](const Beside& b) {
    return std::any_of(b.in.begin(), b.in.end(), [](const auto& e) { return e.samples > 0 && !e.interval; });
  });
  if (undecided)
    say(fmt::format(
        "undecided: without an interval, which takes {} starts of the program; one that is slower by more "
        "than x{} counts as slower",
        harness::least_processes, o.factor));
  if (!o.pairs) print_intervals(all);
  for (std::size_t f = 1; f < names.size(); ++f) {
    const auto other = [&](const char* change, const std::string& row) {
      table_export.rows.push_back({row, {}, names[f], {}, {}, {}, {}, std::string(change)});
    };
    bad += int(wrong[f].size());
    for (const std::string& row : wrong[f])
      say(fmt::format("{}: WRONG {}", names[f], row)), other("WRONG", row);
    if (!o.pairs)
      for (const harness::SkippedRow* s : skipped_since(records.front(), records[f]))
        say(fmt::format("{}: skipped {}: {}", names[f], key(s->row), s->reason)),
            other("skipped", key(s->row));
    if (const std::string text = gpus_text(records.front(), records[f]); !text.empty())
      say(names[f] + ": " + text);
  }
  outputs.write({table_export});
  return bad > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

}  // namespace

Action add_compare(CLI::App& app, const harness::Studies&) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("compare", "Rows that changed between files of records, beyond their noise");
  c->add_option("before", o->before, "Records to compare with")->required();
  c->add_option("after", o->after,
                "Records to judge, beside the first in one table: another run, or versions of a library")
      ->required();
  c->add_option("--factor", o->factor,
                "A row slower by more than this, beyond its noise, fails (exit code 1)")
      ->transform(number_from(1, 1e6))
      ->capture_default_str();
  c->add_flag("--pairs", o->pairs,
              "Ratios of portable rows and their native twins, in place of times of rows");
  c->add_flag("--native", o->native, "Portable rows may be slower: for a record that replaces an earlier one")
      ->excludes("--pairs");
  c->add_flag("--all", o->all, "A table of all rows, also of those that did not change");
  o->exports.add_to(*c);
  return [o] { return run(*o); };
}

}  // namespace parity::commands
