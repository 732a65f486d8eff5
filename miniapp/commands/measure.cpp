// SPDX-License-Identifier: BSD-3-Clause
// parity measure: a plan's rows, resumable.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "commands/commands.hpp"
#include "commands/output_files.hpp"
#include "commands/remarks.hpp"
#include "commands/sheet.hpp"
#include "commands/table.hpp"
#include "harness/measure.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "harness/records.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/signals.hpp"
#include "studies.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::string plan, output = "results.jsonl", slice;
  SheetOptions sheets;
  harness::Overrides overrides;
  int repeats = 0;
  double time_cap = 0;
  bool dry_run = false, resume = false, quiet = false;
};

/// Every count-th problem of a plan from the index-th on, so that slices take about as long as each other.
struct Slice {
  std::size_t index = 1, count = 1;
  bool has(std::size_t problem) const { return problem % count == index - 1; }
};

Slice parse_slice(const std::string& text) {
  if (text.empty()) return {};
  Slice slice;
  char rest = 0;
  if (text.find('-') != std::string::npos ||
      std::sscanf(text.c_str(), "%zu/%zu%c", &slice.index, &slice.count, &rest) != 2 || slice.index < 1 ||
      slice.index > slice.count || slice.count > 100000)
    throw runtime::UsageError(
        fmt::format("--slice is '{}'; give K/N, the K-th of N slices, such as 2/8", text));
  return slice;
}

int dry_run(const Options& o, const harness::Plan& plan, const Slice& slice) {
  SheetFiles files(o.sheets);
  Sheet sheet{"dry_run", {"problem", "variant", "host_bytes", "gpu_bytes", "about_s", "skipped"}, {}};
  double total = 0;
  int rows = 0;
  Skipped skipped;
  fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10}\n", "problem", "variant", "host", "GPU", "about s");
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    const harness::Task& task = *plan.cases[k].task;
    for (const harness::Choice& c : plan.cases[k].choices) {
      if (const auto reason = task.why_not(c)) {
        skipped.add(c.name(), *reason);
        sheet.rows.push_back({task.text(), c.name(), {}, {}, {}, *reason});
        continue;
      }
      const runtime::MemoryNeed need = task.need(c);
      const double samples = double(plan.options.repeats + plan.options.warmup);
      const double seconds = std::min(task.seconds(c) * samples, plan.options.time_cap);
      fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10.2f}\n", task.text(), c.name(),
                 runtime::bytes_text(need.host), runtime::bytes_text(need.device), seconds);
      sheet.rows.push_back({task.text(), c.name(), need.host, need.device, seconds, {}});
      total += seconds;
      ++rows;
    }
  }
  skipped.print();
  fmt::print("{} rows, {} skipped, at most {} repeats each, about {:.0f} s\n", rows, skipped.rows(),
             plan.options.repeats, total);
  files.write({sheet});
  return runtime::exit_ok;
}

void print_row(const harness::Task& task, const Measurement& row) {
  if (row.verdict.passed())
    fmt::print("{:<36} {:<36} {:>40}  error {:.1e}\n", task.text(), row.name(), figure_text(row),
               row.verdict.error);
  else
    fmt::print("{:<36} {:<36} WRONG: error {:.1e}, tolerance {:.0e}\n", task.text(), row.name(),
               row.verdict.error, row.verdict.tolerance);
  std::fflush(stdout);
}

/// What a signal leaves of the run.
void say_what_is_kept(const Options& o, std::size_t finished) {
  runtime::say_when_stopped(
      io::is_standard_output(o.output)
          ? fmt::format("{} finished rows are written", finished)
          : fmt::format("{} finished rows are kept in {}, --resume runs the rest", finished, o.output));
}

int run(const Options& o) {
  const harness::Plan plan = harness::read_plan(studies(), o.plan, o.overrides);
  const Slice slice = parse_slice(o.slice);
  if (o.dry_run) return dry_run(o, plan, slice);
  std::size_t problems = 0;
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    harness::require_memory(*plan.cases[k].task, plan.cases[k].choices);
    ++problems;
  }
  OutputFiles outputs(o.sheets.json, o.sheets.csv);
  harness::RecordFile file(o.output, o.resume);
  bool opened = false, failed = file.failed_before();
  std::size_t measured = 0, done = 0;
  const std::size_t kept = file.finished();
  if (problems == 0) {
    fmt::print("slice {} holds no problem: the plan has only {}\n", o.slice, plan.cases.size());
    return runtime::exit_ok;
  }
  say_what_is_kept(o, kept);
  harness::Progress progress(int(problems), o.quiet);
  std::vector<Measurement> rows;
  Skipped skipped;
  Noise noise;
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    const harness::Task& task = *plan.cases[k].task;
    std::vector<harness::Choice> open;
    for (const harness::Choice& c : plan.cases[k].choices)
      if (!file.has(key(harness::blank_row(task, c)))) open.push_back(c);
    ++done;
    if (open.empty()) continue;
    if (!opened) file.append(harness::this_environment(o.slice));
    opened = true;
    // The variant that goes first changes from problem to problem.
    std::rotate(open.begin(), open.begin() + std::ptrdiff_t(k % open.size()), open.end());
    const auto on_row = [&](const Measurement& row) {
      file.append(row);
      ++measured;
      say_what_is_kept(o, kept + measured);
      failed = failed || !row.verdict.passed();
      noise.add(row);
      if (outputs.wanted()) rows.push_back(row);
      progress.clear();
      print_row(task, row);
    };
    const harness::Measured m = harness::measure(
        task, open, plan.options,
        [&](const std::string& what) { progress.update(double(done - 1), task.text() + " " + what); },
        on_row);
    skipped.add(m.skipped);
  }
  progress.clear();
  skipped.print();
  fmt::print("{} rows measured, {} kept from before, {} skipped: {}\n", measured, kept, skipped.rows(),
             o.output);
  if (measured + kept == 0)
    throw runtime::CannotRunError("nothing of this plan can run here; 'parity list' says why");
  if (measured > 0) print_remarks(noise);
  outputs.write(rows, [&] { return to_csv(*plan.study, rows, ""); });
  return failed ? runtime::exit_check_failed : runtime::exit_ok;
}

}  // namespace

Action add_measure(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "measure", "Measure a plan's rows into a file of records; stop and resume at any time");
  c->add_option("plan", o->plan, "TOML plan (see jobs/plans)")->required();
  c->add_option("--output", o->output, "File of records (JSON lines); -: standard output")
      ->capture_default_str();
  c->add_flag("--dry-run", o->dry_run, "Print the rows with memory and estimated time; run nothing");
  c->add_flag("--resume", o->resume, "Keep the finished rows of --output and run only the rest");
  c->add_option(
      "--slice", o->slice,
      "K/N: only every N-th problem from the K-th on, for array jobs; 'parity merge' joins the files");
  c->add_option("--variants", o->overrides.variants, "Measure these in place of the plan's variants")
      ->delimiter(',');
  const CLI::Option* const repeats =
      c->add_option("--repeats", o->repeats, "Samples of each row at most, in place of the plan's")
          ->check(CLI::Range(1, 100000));
  const CLI::Option* const time_cap =
      c->add_option("--time-cap", o->time_cap, "Seconds for the rounds of a problem, in place of the plan's")
          ->check(CLI::Range(0.0, 1e6));
  c->add_option("--json", o->sheets.json,
                "Write the records of the rows measured now to this file too; -: standard output");
  c->add_option("--csv", o->sheets.csv,
                "Write the table of the rows measured now to this file; -: standard output");
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o, repeats, time_cap] {
    if (*repeats) o->overrides.repeats = o->repeats;
    if (*time_cap) o->overrides.time_cap = o->time_cap;
    return run(*o);
  };
}

}  // namespace parity::commands
