// SPDX-License-Identifier: BSD-3-Clause
// parity measure: a plan's rows, resumable.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "commands/commands.hpp"
#include "commands/table.hpp"
#include "harness/measure.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"
#include "studies.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::string plan, output = "results.jsonl", slice;
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

int dry_run(const harness::Plan& plan, const Slice& slice) {
  double total = 0;
  int rows = 0, skipped = 0;
  fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10}\n", "problem", "variant", "host", "GPU", "about s");
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    const harness::Task& task = *plan.cases[k].task;
    for (const harness::Choice& c : plan.cases[k].choices) {
      if (const auto reason = task.why_not(c)) {
        fmt::print("{:<36} {:<30} skipped: {}\n", task.text(), c.name(), *reason);
        ++skipped;
        continue;
      }
      const runtime::MemoryNeed need = task.need(c);
      const double samples = double(plan.options.repeats + plan.options.warmup);
      const double seconds = std::min(task.seconds(c) * samples, plan.options.time_cap);
      fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10.2f}\n", task.text(), c.name(),
                 runtime::bytes_text(need.host), runtime::bytes_text(need.device), seconds);
      total += seconds;
      ++rows;
    }
  }
  fmt::print("{} rows, {} skipped, at most {} repeats each, about {:.0f} s\n", rows, skipped,
             plan.options.repeats, total);
  return runtime::exit_ok;
}

int run(const Options& o) {
  const harness::Plan plan = harness::read_plan(studies(), o.plan);
  const Slice slice = parse_slice(o.slice);
  if (o.dry_run) return dry_run(plan, slice);
  std::size_t problems = 0;
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    harness::require_memory(*plan.cases[k].task, plan.cases[k].choices);
    ++problems;
  }
  harness::RecordFile file(o.output, o.resume);
  bool opened = false, failed = file.failed_before();
  int measured = 0, skipped = 0;
  const std::size_t kept = file.finished();
  if (problems == 0) {
    fmt::print("slice {} holds no problem: the plan has only {}\n", o.slice, plan.cases.size());
    return runtime::exit_ok;
  }
  harness::Progress progress(int(plan.cases.size()), o.quiet);
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    const harness::Task& task = *plan.cases[k].task;
    std::vector<harness::Choice> open;
    for (const harness::Choice& c : plan.cases[k].choices)
      if (!file.has(key(harness::blank_row(task, c)))) open.push_back(c);
    if (open.empty()) continue;
    if (!opened) file.append(harness::this_environment(o.slice));
    opened = true;
    // The variant that goes first changes from problem to problem.
    std::rotate(open.begin(), open.begin() + std::ptrdiff_t(k % open.size()), open.end());
    const auto on_row = [&](const Measurement& row) {
      file.append(row);
      ++measured;
      failed = failed || !row.verdict.passed();
      progress.clear();
      if (row.verdict.passed())
        fmt::print("{:<36} {:<36} {:>40}  error {:.1e}\n", task.text(), row.name(), figure_text(row),
                   row.verdict.error);
      else
        fmt::print("{:<36} {:<36} WRONG: error {:.1e}, tolerance {:.0e}\n", task.text(), row.name(),
                   row.verdict.error, row.verdict.tolerance);
      std::fflush(stdout);
    };
    const harness::Measured m = harness::measure(
        task, open, plan.options,
        [&](const std::string& what) { progress.update(int(k), task.text() + " " + what); }, on_row);
    for (const auto& [reason, names] : harness::by_reason(m))
      fmt::print("{:<36} {:<36} skipped: {}\n", task.text(), fmt::format("{}", fmt::join(names, " ")),
                 reason);
    skipped += int(m.skipped.size());
  }
  progress.clear();
  fmt::print("{} rows measured, {} kept from before, {} skipped: {}\n", measured, kept, skipped, o.output);
  if (measured + int(kept) == 0)
    throw runtime::CannotRunError("nothing of this plan can run here; 'parity list' says why");
  return failed ? runtime::exit_check_failed : runtime::exit_ok;
}

}  // namespace

Action add_measure(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "measure", "Measure a plan's rows into a file of records; stop and resume at any time");
  c->add_option("plan", o->plan, "TOML plan (see jobs/plans)")->required();
  c->add_option("--output", o->output, "File of records (JSON lines)")->capture_default_str();
  c->add_flag("--dry-run", o->dry_run, "Print the rows with memory and estimated time; run nothing");
  c->add_flag("--resume", o->resume, "Keep the finished rows of --output and run only the rest");
  c->add_option(
      "--slice", o->slice,
      "K/N: only every N-th problem from the K-th on, for array jobs; 'parity merge' joins the files");
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
