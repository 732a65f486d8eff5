// SPDX-License-Identifier: BSD-3-Clause
// parity measure: a plan's rows, resumable.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/table.hpp"
#include "cuda/device.hpp"
#include "diffusion/measure.hpp"
#include "openmp/copy.hpp"
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

std::string row_key(const diffusion::Problem& p, const diffusion::Selected& s) {
  study::Row row;
  row.study = "diffusion";
  row.variant = s.variant();
  row.tuning = to_string(s.tuning);
  row.problem = diffusion::to_json(p);
  return study::key(row);
}

/// Modelled seconds of all samples: traffic at copy speed (fields in cache included) plus launches.
double estimate(const diffusion::Problem& p, const diffusion::Selected& s, const study::RunOptions& o) {
  static const double host = openmp::copy_bandwidth(std::int64_t(64) << 20);
  static const double device = cuda::copy_bandwidth(std::int64_t(256) << 20);
  const study::CostModel m = s.model(p);
  const bool gpu = s.entry->on_device();
  // Orders of magnitude, for a plan's reader: 4 us a launch; operations count only where a plane stays on
  // chip.
  const double once =
      std::max(m.bytes / (gpu ? device : host), m.flops / (gpu ? 1e13 : 1e10)) + 4e-6 * m.submissions;
  return once * double(o.repeats + o.warmup);
}

int dry_run(const study::Plan& plan) {
  double total = 0;
  int rows = 0, skipped = 0;
  fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10}\n", "problem", "variant", "host", "GPU", "about s");
  for (const diffusion::Problem& p : plan.problems)
    for (const diffusion::Selected& s :
         diffusion::select(diffusion::registry(), plan.variants, plan.tunings)) {
      if (const auto reason = diffusion::why_not(s, p)) {
        fmt::print("{:<36} {:<30} skipped: {}\n", diffusion::describe(p), s.name(), *reason);
        ++skipped;
        continue;
      }
      const diffusion::MemoryNeed need = diffusion::memory_need(p, *s.entry);
      const double seconds = std::min(estimate(p, s, plan.options), plan.options.time_cap);
      fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10.2f}\n", diffusion::describe(p), s.name(),
                 study::bytes_text(need.host), study::bytes_text(need.device), seconds);
      total += seconds;
      ++rows;
    }
  fmt::print("{} rows, {} skipped, at most {} repeats each, about {:.0f} s\n", rows, skipped,
             plan.options.repeats, total);
  return study::exit_ok;
}

int run(const Options& o) {
  using namespace diffusion;
  const study::Plan plan = study::read_plan(o.plan);
  if (o.dry_run) return dry_run(plan);
  const auto selected = select(registry(), plan.variants, plan.tunings);
  for (const Problem& p : plan.problems) {
    std::vector<Selected> runnable;
    for (const Selected& s : selected)
      if (!why_not(s, p)) runnable.push_back(s);
    check_memory(p, runnable);
  }
  study::RecordFile file(o.output, o.resume);
  bool opened = false, failed = file.failed_before();
  int measured = 0, skipped = 0;
  const std::size_t kept = file.finished();
  study::Progress progress(int(plan.problems.size()), o.quiet);
  for (std::size_t k = 0; k < plan.problems.size(); ++k) {
    const Problem& p = plan.problems[k];
    std::vector<Selected> open;
    for (const Selected& s : selected)
      if (!file.has(row_key(p, s))) open.push_back(s);
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
        fmt::print("{:<36} {:<36} {:>12.3f} us a step  error {:.1e}\n", describe(p), row.name(),
                   1e6 * row.host().median / double(p.steps), row.verdict.error);
      else
        fmt::print("{:<36} {:<36} WRONG: error {:.1e}, tolerance {:.0e}\n", describe(p), row.name(),
                   row.verdict.error, row.verdict.tolerance);
      std::fflush(stdout);
    };
    const Measured m = measure(
        p, open, plan.options,
        [&](const std::string& what) { progress.update(int(k), describe(p) + " " + what); }, on_row);
    for (const auto& [s, reason] : m.skipped) {
      fmt::print("{:<36} {:<36} skipped: {}\n", describe(p), s.name(), reason);
      ++skipped;
    }
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
