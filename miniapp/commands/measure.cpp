// SPDX-License-Identifier: BSD-3-Clause
// parity measure: a plan's rows, resumable.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "commands/table.hpp"
#include "study/environment.hpp"
#include "study/error.hpp"
#include "study/memory.hpp"
#include "study/plan.hpp"
#include "study/progress.hpp"

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
    throw study::UsageError(
        fmt::format("--slice is '{}'; give K/N, the K-th of N slices, such as 2/8", text));
  return slice;
}

int dry_run(const study::Plan& plan, const Slice& slice) {
  double total = 0;
  int rows = 0, skipped = 0;
  fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10}\n", "problem", "variant", "host", "GPU", "about s");
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    const auto& c = plan.cases[k];
    if (!slice.has(k)) continue;
    for (std::size_t v = 0; v < c->size(); ++v) {
      if (const auto reason = c->reason(v)) {
        fmt::print("{:<36} {:<30} skipped: {}\n", c->text(), c->variant(v), *reason);
        ++skipped;
        continue;
      }
      const study::MemoryNeed need = c->need(v);
      const double samples = double(plan.options.repeats + plan.options.warmup);
      const double seconds = std::min(c->seconds(v) * samples, plan.options.time_cap);
      fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10.2f}\n", c->text(), c->variant(v),
                 study::bytes_text(need.host), study::bytes_text(need.device), seconds);
      total += seconds;
      ++rows;
    }
  }
  fmt::print("{} rows, {} skipped, at most {} repeats each, about {:.0f} s\n", rows, skipped,
             plan.options.repeats, total);
  return study::exit_ok;
}

int run(const Options& o) {
  const study::Plan plan = study::read_plan(o.plan);
  const Slice slice = parse_slice(o.slice);
  if (o.dry_run) return dry_run(plan, slice);
  std::size_t problems = 0;
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    plan.cases[k]->require_memory();
    ++problems;
  }
  study::RecordFile file(o.output, o.resume);
  bool opened = false, failed = file.failed_before();
  int measured = 0, skipped = 0;
  const std::size_t kept = file.finished();
  if (problems == 0) {
    fmt::print("slice {} holds no problem: the plan has only {}\n", o.slice, plan.cases.size());
    return study::exit_ok;
  }
  study::Progress progress(int(plan.cases.size()), o.quiet);
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    if (!slice.has(k)) continue;
    const study::Case& c = *plan.cases[k];
    std::vector<std::size_t> open;
    for (std::size_t v = 0; v < c.size(); ++v)
      if (!file.has(c.row_key(v))) open.push_back(v);
    if (open.empty()) continue;
    if (!opened) {
      nlohmann::json environment = study::environment();
      if (!o.slice.empty()) environment["slice"] = o.slice;
      file.append(environment);
      opened = true;
    }
    // The variant that goes first changes from problem to problem.
    std::rotate(open.begin(), open.begin() + std::ptrdiff_t(k % open.size()), open.end());
    const auto on_row = [&](const study::Row& row) {
      file.append(study::to_json(row));
      ++measured;
      failed = failed || !row.verdict.passed();
      progress.clear();
      if (row.verdict.passed())
        fmt::print("{:<36} {:<36} {:>26}  error {:.1e}\n", c.text(), row.name(), c.row_text(row),
                   row.verdict.error);
      else
        fmt::print("{:<36} {:<36} WRONG: error {:.1e}, tolerance {:.0e}\n", c.text(), row.name(),
                   row.verdict.error, row.verdict.tolerance);
      std::fflush(stdout);
    };
    const study::Measured m = c.run(
        open, plan.options, [&](const std::string& what) { progress.update(int(k), c.text() + " " + what); },
        on_row);
    for (const auto& [reason, names] : study::by_reason(m))
      fmt::print("{:<36} {:<36} skipped: {}\n", c.text(), fmt::format("{}", fmt::join(names, " ")), reason);
    skipped += int(m.skipped.size());
  }
  progress.clear();
  fmt::print("{} rows measured, {} kept from before, {} skipped: {}\n", measured, kept, skipped, o.output);
  if (measured + int(kept) == 0)
    throw study::CannotRunError("nothing of this plan can run here; 'parity list' says why");
  return failed ? study::exit_check_failed : study::exit_ok;
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
