// SPDX-License-Identifier: BSD-3-Clause
// parity compare: which rows changed between two files of records, beyond their noise.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "analysis/compare.hpp"
#include "commands/beside.hpp"
#include "commands/commands.hpp"
#include "commands/numbers.hpp"
#include "commands/sheet.hpp"
#include "harness/estimate_text.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using analysis::Change;

struct Options {
  std::string before;
  std::vector<std::string> after;
  double factor = 1.1;
  bool pairs = false, all = false;
  SheetOptions sheets;
};

/// Whether both were measured by the same GPUs: another of the same name has other memory and another clock.
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

/// "rows of one file only: 2 in a.jsonl, 0 in b.jsonl"; empty where each row is in both.
std::string apart_text(const Options& o, const harness::Records& before, const harness::Records& after) {
  std::set<std::string> old_keys, new_keys;
  for (const auto& m : before.measurements) old_keys.insert(key(m));
  for (const auto& m : after.measurements) new_keys.insert(key(m));
  const auto only_in = [](const auto& these, const auto& others) {
    return std::count_if(these.begin(), these.end(), [&](const auto& k) { return others.count(k) == 0; });
  };
  const auto old_only = only_in(old_keys, new_keys), new_only = only_in(new_keys, old_keys);
  if (old_only + new_only == 0) return "";
  return fmt::format("rows of one file only: {} in {}, {} in {}", old_only, runtime::shown(o.before, 200),
                     new_only, runtime::shown(o.after.front(), 200));
}

/// Rows that have a time in the first file and were skipped in the second: where they went.
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

/// Two files: every row that changed, and where a row went.
int run_two(const Options& o) {
  SheetFiles files(o.sheets, {o.before, o.after.front()});
  const harness::Records old_records = harness::read_records({o.before}),
                         new_records = harness::read_records({o.after.front()});
  const auto changes = analysis::compare(old_records.measurements, new_records.measurements, o.factor);
  Sheet sheet{"compare", {"change", "row", "before us", "after us", "ratio"}, {}};
  const harness::NumberFormat us{1e6, 4, true};
  int faster = 0, slower = 0, too_slow = 0, wrong = 0, undecided = 0, intervals = 0, held = 0;
  std::vector<double> reaches;
  for (const analysis::Changed& c : changes) {
    faster += c.change == Change::faster;
    slower += c.change == Change::slower || c.change == Change::too_slow;
    slower += c.change == Change::undecided_slow;
    too_slow += c.change == Change::too_slow || c.change == Change::undecided_slow;
    wrong += c.change == Change::wrong;
    undecided += c.change == Change::undecided;
    for (const auto& [one, other] : {std::pair(c.before, c.after), std::pair(c.after, c.before)})
      if (one.interval) {
        ++intervals;
        held += one.interval->contains(other.value);
        reaches.push_back(*one.relative_half_width());
      }
    const bool timed = c.change != Change::wrong;
    const double before = c.before.value, after = c.after.value;
    sheet.rows.push_back({word_of(c.change), c.key, timed ? Cell(1e6 * before) : Cell(),
                          timed ? Cell(1e6 * after) : Cell(), timed ? Cell(after / before) : Cell()});
    if (c.change == Change::wrong)
      fmt::print("{:<9} {}\n", word_of(c.change), c.key);
    else if (c.change != Change::none)
      fmt::print("{:<9} {}  {} us -> {} us (x{:.3f})\n", word_of(c.change), c.key,
                 harness::text_of(c.before, us), harness::text_of(c.after, us), after / before);
  }
  if (changes.empty())
    throw runtime::UsageError(fmt::format("{} and {} have no row in common", o.before, o.after.front()));
  for (const harness::SkippedRow* s : skipped_since(old_records, new_records)) {
    sheet.rows.push_back({std::string("skipped"), key(s->row), {}, {}, {}});
    fmt::print("{:<9} {}: {}\n", "skipped", key(s->row), s->reason);
  }
  fmt::print(
      "{} rows in common: {} faster, {} slower beyond their noise, {} of them by more than x{}; {} wrong\n",
      changes.size(), faster, slower, too_slow, o.factor, wrong);
  if (const std::string text = apart_text(o, old_records, new_records); !text.empty())
    fmt::print("{}\n", text);
  if (undecided > 0)
    fmt::print("{} undecided: they have no interval, which takes {} starts of the program in both files\n",
               undecided, harness::least_blocks);
  if (intervals > 0)
    fmt::print(
        "{} of {} intervals hold the other run's time ({:.1f} %); half of them reach at most {:.1f} % to "
        "either side, {} of {} at most 5 %\n",
        held, intervals, 100.0 * held / intervals, 100.0 * harness::median_of(reaches),
        std::count_if(reaches.begin(), reaches.end(), [](double r) { return r <= 0.05; }), intervals);
  if (const std::string text = gpus_text(old_records, new_records); !text.empty()) fmt::print("{}\n", text);
  files.write({sheet});
  return too_slow + wrong > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

/// Several files, or pairs, beside each other.
int run_beside(const Options& o) {
  std::vector<std::string> names = {o.before};
  names.insert(names.end(), o.after.begin(), o.after.end());
  SheetFiles files(o.sheets, names);
  std::vector<harness::Records> records;
  for (const std::string& name : names) records.push_back(harness::read_records({name}));
  Sheet sheet{"compare", {}, {}};
  const int code = print_beside({names, o.factor, o.pairs, o.all}, records, sheet);
  files.write({sheet});
  return code;
}

int run(const Options& o) { return o.after.size() == 1 && !o.pairs && !o.all ? run_two(o) : run_beside(o); }

}  // namespace

Action add_compare(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("compare", "Rows that changed between files of records, beyond their noise");
  c->add_option("before", o->before, "Records to compare with")->required();
  c->add_option(
       "after", o->after,
       "Records to judge; several are put beside the first in one table, as of versions of a library")
      ->required();
  c->add_option("--factor", o->factor,
                "A row slower by more than this, beyond its noise, fails (exit code 1)")
      ->transform(number_from(1, 1e6))
      ->capture_default_str();
  c->add_flag("--pairs", o->pairs,
              "Ratios of portable rows and their native twins, in place of times of rows");
  c->add_flag("--all", o->all, "A table of all rows, also of those that did not change");
  o->sheets.add_to(*c);
  return [o] { return run(*o); };
}

}  // namespace parity::commands
