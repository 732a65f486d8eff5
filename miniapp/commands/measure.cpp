// SPDX-License-Identifier: BSD-3-Clause
// parity measure: a plan's rows, resumable.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

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
  std::string plan, output = "results.jsonl";
  bool dry_run = false, resume = false, quiet = false;
};

int dry_run(const study::Plan& plan) {
  double total = 0;
  int rows = 0, skipped = 0;
  fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10}\n", "problem", "variant", "host", "GPU", "about s");
  for (const auto& c : plan.cases)
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
  fmt::print("{} rows, {} skipped, at most {} repeats each, about {:.0f} s\n", rows, skipped,
             plan.options.repeats, total);
  return study::exit_ok;
}

int run(const Options& o) {
  const study::Plan plan = study::read_plan(o.plan);
  if (o.dry_run) return dry_run(plan);
  for (const auto& c : plan.cases) c->require_memory();
  study::RecordFile file(o.output, o.resume);
  bool opened = false, failed = file.failed_before();
  int measured = 0, skipped = 0;
  const std::size_t kept = file.finished();
  study::Progress progress(int(plan.cases.size()), o.quiet);
  for (std::size_t k = 0; k < plan.cases.size(); ++k) {
    const study::Case& c = *plan.cases[k];
    std::vector<std::size_t> open;
    for (std::size_t v = 0; v < c.size(); ++v)
      if (!file.has(c.row_key(v))) open.push_back(v);
    if (open.empty()) continue;
    if (!opened) {
      file.append(study::environment());
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
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
