// SPDX-License-Identifier: BSD-3-Clause
// parity measure: measures a plan's results, resumable.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "commands/commands.hpp"
#include "harness/energy.hpp"
#include "harness/measure.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"
#include "runtime/messages.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

struct Options {
  const harness::Studies* studies = nullptr;
  std::string plan;
  Request request;
  harness::Overrides overrides;
  bool dry_run = false, resume = false, mixed = false, check = false, has_output = false;
};

/// Every count-th problem of a plan from the index-th on, so that slices take about equally long.
struct Slice {
  std::size_t index = 1, count = 1;
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

std::string duration_text(double seconds) {
  return seconds < 3600 ? fmt::format("{:.0f} s", seconds)
                        : fmt::format("{:.0f} s ({:.1f} hours)", seconds, seconds / 3600);
}

/// Minimum seconds that counting joules takes per result and process.
double energy_seconds() {
  const harness::EnergyOptions o;
  return o.lead_seconds + o.window_seconds;
}

int dry_run(const Options& o, const harness::Plan& plan) {
  start_computing();
  std::optional<OutputFiles> files;
  runtime::collective_or_throw([&] {
    if (runtime::rank_info().rank == 0)
      files.emplace(ExportOptions{o.request.json, o.request.csv}, Paths{o.plan, o.overrides.tunings});
  });
  TableExport table_export{
      "dry_run", {"problem", "variant", "host_bytes", "gpu_bytes", "about_s", "skipped"}, {}};
  double total = 0;
  int rows = 0;
  Skipped skipped;
  fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10}\n", "problem", "variant", "host", "GPU", "about s");
  for (const harness::Case& one : plan.cases) {
    const harness::Task& task = *one.task;
    for (const harness::Choice& c : one.choices) {
      if (const auto reason = task.why_not(c)) {
        skipped.add(c.name(), *reason);
        table_export.rows.push_back({task.text(), c.name(), {}, {}, {}, *reason});
        continue;
      }
      const runtime::MemoryNeed need = task.need(c);
      const harness::RunOptions& options = plan.options;
      const int processes = options.processes_needed();
      const double least = double(processes * options.least_in_process()) * task.seconds(c);
      const double seconds =
          std::max(least, std::min(task.seconds(c) * double(options.repeats), options.time_cap)) +
          task.seconds(c) * double(processes * options.warmup) +
          (o.request.energy ? double(processes) * energy_seconds() : 0);
      fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10.2f}\n", task.text(), c.name(),
                 runtime::bytes_text(need.host), runtime::bytes_text(need.device), seconds);
      table_export.rows.push_back({task.text(), c.name(), need.host, need.device, seconds, {}});
      total += seconds;
      ++rows;
    }
  }
  skipped.print();
  fmt::print("{} rows, {} skipped, at most {} repeats each in {} starts, about {}\n", rows, skipped.rows(),
             plan.options.repeats, plan.options.processes_needed(), duration_text(total));
  if (o.resume || o.mixed)
    fmt::print("with those that {} holds already, which would not be measured again\n",
               runtime::shown(o.request.output, 4096));
  if (files) files->write({table_export});
  return runtime::exit_ok;
}

void keep_slice(harness::Plan& plan, const std::string& text) {
  const Slice slice = parse_slice(text);
  std::vector<harness::Case> cases;
  for (std::size_t k = 0; k < plan.cases.size(); ++k)
    if (k % slice.count == slice.index - 1) cases.push_back(std::move(plan.cases[k]));
  if (cases.empty()) fmt::print("slice {} holds no problem: the plan has only {}\n", text, plan.cases.size());
  plan.cases = std::move(cases);
}

/// Prints how many of the plan's results the record file holds completely. Under MPI the only process counts.
int check(const Options& o, const harness::Plan& plan) {
  std::map<std::string, std::set<int>> starts;
  std::set<std::string> ended;  // wrong, or skipped
  auto needed = std::size_t(plan.options.processes_needed());
  if (o.has_output && std::filesystem::exists(o.request.output))
    for (const harness::RecordLine& line : harness::read_lines(o.request.output)) {
      if (line.environment && !line.environment->ranks.empty()) needed = 1;
      if (line.skipped) ended.insert(key(line.skipped->row));
      if (!line.measurement) continue;
      const std::string row_key = key(*line.measurement);
      if (!line.measurement->verdict.passed()) ended.insert(row_key);
      starts[row_key].insert(line.measurement->processes.begin(), line.measurement->processes.end());
    }
  std::size_t rows = 0, done = 0;
  for (const harness::Case& one : plan.cases)
    for (const harness::Choice& c : one.choices) {
      const std::string row_key = key(harness::blank_row(*one.task, c));
      ++rows;
      done += ended.count(row_key) > 0 || (starts.count(row_key) > 0 && starts[row_key].size() >= needed);
    }
  fmt::print("{} problems, {} rows, {} done\n", plan.cases.size(), rows, done);
  return runtime::exit_ok;
}

int run(const Options& o) {
  harness::Plan plan = harness::read_plan(*o.studies, o.plan, o.overrides);
  keep_slice(plan, o.request.slice);
  if (o.check) return check(o, plan);
  if (o.dry_run) return dry_run(o, plan);
  Request request = o.request;
  request.existing = o.mixed    ? harness::Existing::mix
                     : o.resume ? harness::Existing::resume
                                : harness::Existing::refuse;
  request.inputs = {o.plan, o.overrides.tunings};
  return run_plan(std::move(plan), request);
}

}  // namespace

Action add_measure(CLI::App& app, const harness::Studies& studies) {
  auto o = std::make_shared<Options>();
  o->studies = &studies;
  o->request.output = "results.jsonl";
  CLI::App* c = app.add_subcommand(
      "measure", "Measure a plan's rows into a file of records; stop and resume at any time");
  c->add_option("plan", o->plan, "TOML plan (see jobs/plans)")->required();
  c->add_option("--output", o->request.output, "File of records (JSON lines); -: standard output")
      ->capture_default_str();
  c->add_flag("--dry-run", o->dry_run, "Print the rows with memory and estimated time; run nothing");
  c->add_flag("--check", o->check,
              "Read the plan and --output, and print how many of its rows are done; needs no GPU");
  c->add_flag("--resume", o->resume,
              "Keep the finished rows of --output and run only the rest; the same commit, build and device");
  c->add_flag("--mixed", o->mixed,
              "Like --resume, after another commit, build or device too; rows of different runs stay apart");
  c->add_option("--slice", o->request.slice,
                "K/N: only every N-th problem from the K-th on, for array jobs; 'parity export --records' "
                "joins the files");
  c->add_option("--variants", o->overrides.variants, "Measure these in place of the plan's variants")
      ->delimiter(',')
      ->allow_extra_args(false);  // the next word is the plan
  c->add_option("--set", o->overrides.axes,
                "AXIS=VALUES in place of the plan's, such as precision=float,double or size=[64, 64, 16]; "
                "may stand several times")
      ->allow_extra_args(false);
  c->add_option("--tunings", o->overrides.tunings,
                "TOML file of tunings, as 'parity findings --tunings' writes it, in place of default ones");
  c->add_option("--repeats", o->overrides.repeats,
                "Samples of each row, of all starts, in place of the plan's")
      ->transform(whole_from(1, 100000));
  c->add_option(
       "--starts", o->overrides.processes,
       "Starts of the program that they are spread over, in place of the plan's; intervals need three")
      ->transform(whole_from(1, 1000));
  c->add_option("--time-cap", o->overrides.time_cap,
                "Seconds for the samples of a row, in place of the plan's")
      ->transform(number_from(0, 1e6));
  c->add_option("--json", o->request.json,
                "Write the records of the rows measured now to this file too; -: standard output");
  c->add_option("--csv", o->request.csv,
                "Write the table of the rows measured now to this file; -: standard output");
  c->add_flag("--energy", o->request.energy, energy_help);
  c->add_flag("--quiet", o->request.quiet, "No progress line");
  return [o, c] {
    o->has_output = c->count("--output") > 0;
    return run(*o);
  };
}

}  // namespace parity::commands
