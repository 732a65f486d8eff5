// SPDX-License-Identifier: BSD-3-Clause
// parity measure: a plan's rows, resumable.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "analysis/pairs.hpp"
#include "commands/blocks.hpp"
#include "commands/caveats.hpp"
#include "commands/commands.hpp"
#include "commands/energy.hpp"
#include "commands/numbers.hpp"
#include "commands/output_files.hpp"
#include "commands/places.hpp"
#include "commands/sheet.hpp"
#include "commands/table.hpp"
#include "harness/measure.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "harness/records.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"
#include "studies.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::string plan, output = "results.jsonl", slice;
  SheetOptions sheets;
  harness::Overrides overrides;
  int repeats = 0, starts = 0;
  double time_cap = 0;
  bool dry_run = false, resume = false, mixed = false, energy = false, quiet = false;
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

/// Seconds, with hours beside them where there are some.
std::string duration_text(double seconds) {
  return seconds < 3600 ? fmt::format("{:.0f} s", seconds)
                        : fmt::format("{:.0f} s ({:.1f} hours)", seconds, seconds / 3600);
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
      const harness::RunOptions& options = plan.options;
      const int blocks = options.blocks_needed();
      const double least = double(blocks * options.least_in_block()) * task.seconds(c);
      const double seconds =
          std::max(least, std::min(task.seconds(c) * double(options.repeats), options.time_cap)) +
          task.seconds(c) * double(blocks * options.warmup) +
          (o.energy ? double(blocks) * energy_seconds() : 0);
      fmt::print("{:<36} {:<30} {:>10} {:>10} {:>10.2f}\n", task.text(), c.name(),
                 runtime::bytes_text(need.host), runtime::bytes_text(need.device), seconds);
      sheet.rows.push_back({task.text(), c.name(), need.host, need.device, seconds, {}});
      total += seconds;
      ++rows;
    }
  }
  skipped.print();
  fmt::print("{} rows, {} skipped, at most {} repeats each in {} starts, about {}\n", rows, skipped.rows(),
             plan.options.repeats, plan.options.blocks_needed(), duration_text(total));
  if (o.resume || o.mixed)
    fmt::print("with those that {} holds already, which would not be measured again\n",
               runtime::shown(o.output, 4096));
  files.write({sheet});
  return runtime::exit_ok;
}

void print_row(const harness::Study& study, const harness::Task& task, const Measurement& row) {
  if (row.verdict.passed())
    fmt::print(
        "{:<36} {:<36} {:>40}  {}{}\n", task.text(), row.name(), metric_text(row),
        study.times_are_results() ? doubt_text(row) : "",
        row.verdict.caveat.empty() ? fmt::format("error {:.1e}", row.verdict.error) : row.verdict.caveat);
  else
    fmt::print("{:<36} {:<36} WRONG: error {:.1e}, tolerance {:.0e}\n", task.text(), row.name(),
               row.verdict.error, row.verdict.tolerance);
  std::fflush(stdout);
}

/// What a signal leaves of the run.
void say_what_is_kept(const Options& o, std::size_t finished, const ProcessRepeats& blocks) {
  if (io::is_stream(o.output)) return runtime::say_when_stopped("no row is written");
  const std::string others = blocks.text().empty() ? "" : " and what others have so far";
  runtime::say_when_stopped(
      fmt::format("{} finished rows{} are kept in {}, --resume runs the rest", finished, others, o.output));
}

constexpr double seconds_of_a_log_line = 60;

/// "; last ratios: kokkos-fused 0.91, kokkos-copy 0.99", of this start alone; 'before' where there is no
/// pair.
std::string last_ratios(const std::vector<Measurement>& rows, const std::string& before) {
  constexpr std::size_t most = 3;
  const auto pairs = analysis::pairs_of(rows);
  std::vector<std::string> said;
  for (std::size_t k = pairs.size() - std::min(most, pairs.size()); k < pairs.size(); ++k)
    said.push_back(fmt::format("{} {:.2f}", pairs[k].portable->variant, pairs[k].ratio.value));
  return said.empty() ? before : fmt::format("; last ratios: {}", fmt::join(said, ", "));
}

/// The rows of one slice of a plan, in this block.
class Measuring {
 public:
  Measuring(const Options& o, harness::Plan plan)
      : o_(o), plan_(std::move(plan)), slice_(parse_slice(o.slice)) {}

  int run() {
    if (o_.dry_run) return dry_run(o_, plan_, slice_);
    std::size_t problems = 0;
    for (std::size_t k = 0; k < plan_.cases.size(); ++k) {
      if (!slice_.has(k)) continue;
      harness::require_memory(*plan_.cases[k].task, plan_.cases[k].choices);
      ++problems;
    }
    const auto energy = energy_probe(o_.energy, *plan_.study);
    plan_.options.energy = energy.get();
    ProcessRepeats blocks(plan_.options);
    // Opened before anything is measured: a name that cannot be written must not cost a measurement.
    OutputFiles outputs(o_.sheets.json, o_.sheets.csv, blocks.is_last());
    std::unique_ptr<harness::RecordFile> stream;
    if (blocks.is_last() && io::is_stream(o_.output))
      stream = std::make_unique<harness::RecordFile>(o_.output, harness::Existing::refuse);
    blocks.open(o_.output,
                o_.mixed    ? harness::Existing::mix
                : o_.resume ? harness::Existing::resume
                            : harness::Existing::refuse,
                o_.energy);
    if (problems == 0) {
      fmt::print("slice {} holds no problem: the plan has only {}\n", o_.slice, plan_.cases.size());
      return runtime::exit_ok;
    }
    say_what_is_kept(o_, blocks.kept(), blocks);
    const double open = double(open_rows(blocks));
    total_ = open * blocks.count();
    harness::Progress progress(total_, "rows", o_.quiet);
    progress.count_before(open * (blocks.number() - 1));
    progress.log_every(seconds_of_a_log_line, blocks.last_log_line());
    done_ = open * (blocks.number() - 1);
    for (std::size_t k = 0; k < plan_.cases.size(); ++k)
      if (slice_.has(k)) measure(k, blocks, progress);
    progress.clear();
    if (!blocks.is_last() && !blocks.file().has_no_row()) return blocks.go_on(progress.last_line());
    return finish(blocks, outputs, stream.get());
  }

 private:
  /// What can run of what this start has to measure, as far as is known before.
  std::size_t open_rows(const ProcessRepeats& blocks) const {
    std::size_t open = 0;
    for (std::size_t k = 0; k < plan_.cases.size(); ++k)
      if (slice_.has(k)) open += runnable(*plan_.cases[k].task, plan_.cases[k].choices, blocks);
    return open;
  }

  /// A row that an earlier start skipped is skipped again.
  static std::size_t runnable(const harness::Task& task, const std::vector<harness::Choice>& choices,
                              const ProcessRepeats& blocks) {
    return std::size_t(std::count_if(choices.begin(), choices.end(), [&](const harness::Choice& c) {
      const std::string row_key = key(harness::blank_row(task, c));
      return !blocks.has(row_key) && !task.why_not(c) && !blocks.file().skipped(row_key);
    }));
  }

  void measure(std::size_t k, ProcessRepeats& blocks, harness::Progress& progress) {
    const harness::Task& task = *plan_.cases[k].task;
    std::vector<harness::Choice> open = open_choices(task, plan_.cases[k].choices, blocks);
    if (open.empty()) return;
    if (!blocks.file().has_environment()) blocks.file().append(harness::this_environment(o_.slice));
    // The variant that goes first changes from problem to problem and from block to block.
    const std::size_t first = (k + std::size_t(plan_.options.block) - 1) % open.size();
    std::rotate(open.begin(), open.begin() + std::ptrdiff_t(first), open.end());
    const std::size_t expected = runnable(task, open, blocks);
    std::set<std::string> final;
    const auto finished = [&](const Measurement& row) {
      final.insert(key(row));
      rows_.push_back(row);
      say_what_is_kept(o_, blocks.kept() + rows_.size(), blocks);
      caveats_.add(row);
      progress.clear();
      print_row(*plan_.study, task, row);
    };
    std::vector<Measurement> of_this_start;
    const auto on_row = [&](const Measurement& block) {
      of_this_start.push_back(block);
      blocks.file().append(block);
      if (blocks.is_last() || !block.verdict.passed()) finished(*blocks.file().row(key(block)));
    };
    const harness::Measured m = harness::measure(
        task, open, plan_.options,
        [&](const std::string& what) {
          progress.update(done_ + double(of_this_start.size()),
                          blocks.text() + task.text() + " " + what + ratios_);
        },
        on_row);
    // What could not run after all, or could, is the same in the starts that follow.
    done_ += double(of_this_start.size());
    total_ += (double(of_this_start.size()) - double(expected)) * (blocks.count() - blocks.number() + 1);
    progress.expect(total_);
    ratios_ = last_ratios(of_this_start, ratios_);
    skipped_.add(m.skipped);
    blocks.file().append(m.skipped);
    if (!blocks.is_last()) return;
    for (const harness::Choice& c : open)
      if (auto s = blocks.file().skipped(key(harness::blank_row(task, c))))
        all_skipped_.push_back(std::move(*s));
    // What was refused in this start alone has the samples of the others.
    for (const harness::Choice& c : open)
      if (const auto row = blocks.file().row(key(harness::blank_row(task, c)));
          row && final.count(key(*row)) == 0)
        finished(*row);
  }

  /// What this block has to measure of a problem.
  std::vector<harness::Choice> open_choices(const harness::Task& task,
                                            const std::vector<harness::Choice>& choices,
                                            const ProcessRepeats& blocks) {
    std::vector<harness::Choice> open;
    for (const harness::Choice& c : choices) {
      const std::string row_key = key(harness::blank_row(task, c));
      const auto row = blocks.has(row_key) ? blocks.file().row(row_key) : std::nullopt;
      if (!blocks.has(row_key))
        open.push_back(c);
      else if (row && !row->verdict.passed() && !blocks.was_wrong(row_key))
        rows_.push_back(*row);  // of an earlier block of this run
    }
    return open;
  }

  int finish(ProcessRepeats& blocks, OutputFiles& outputs, harness::RecordFile* stream) {
    const std::size_t measured = rows_.size();
    skipped_.print();
    print_missing_joules(rows_);
    fmt::print("{} rows measured, {} kept from before{}, {} skipped: {}\n", measured, blocks.kept(),
               blocks.kept() > 0 && (o_.repeats > 0 || o_.overrides.time_cap) ? " as they are" : "",
               skipped_.rows(), o_.output == "-" ? "standard output" : runtime::shown(o_.output, 4096));
    if (measured + blocks.kept() == 0)
      throw runtime::CannotRunError("nothing of this plan can run here, for the reasons above");
    caveats_.expect(blocks.count());
    if (measured > 0) print_caveats(caveats_);
    outputs.write(rows_, all_skipped_, [&] { return to_csv(*plan_.study, rows_, ""); });
    if (stream) write_rows(*stream);
    return blocks.file().failed() ? runtime::exit_check_failed : runtime::exit_ok;
  }

  void write_rows(harness::RecordFile& stream) {
    stream.append(harness::this_environment(o_.slice));
    for (const Measurement& row : rows_) stream.append(row);
    stream.append(all_skipped_);
  }

  const Options& o_;
  harness::Plan plan_;
  Slice slice_;
  std::vector<Measurement> rows_;  ///< that are final
  double done_ = 0, total_ = 0;    ///< rows of all starts, for the progress
  std::string ratios_;             ///< of the problem before
  Skipped skipped_;
  std::vector<harness::SkippedRow> all_skipped_;  ///< of all starts
  Caveats caveats_;
};

int run(const Options& o) {
  require_apart({{"--output", o.dry_run ? "" : o.output}, {"--json", o.sheets.json}, {"--csv", o.sheets.csv}},
                {o.plan, o.overrides.tunings});
  return Measuring(o, harness::read_plan(studies(), o.plan, o.overrides)).run();
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
  c->add_flag("--resume", o->resume,
              "Keep the finished rows of --output and run only the rest; the same commit, build and device");
  c->add_flag("--mixed", o->mixed,
              "Like --resume, after another commit, build or device too; rows of different runs stay apart");
  c->add_option("--slice", o->slice,
                "K/N: only every N-th problem from the K-th on, for array jobs; 'parity export --records' "
                "joins the files");
  c->add_option("--variants", o->overrides.variants, "Measure these in place of the plan's variants")
      ->delimiter(',')
      ->allow_extra_args(false);  // the next word is the plan
  c->add_option(
       "--set", o->overrides.axes,
       "AXIS=VALUES in place of the plan's, such as precision=float,double or size=[64, 64, 16]; may "
       "stand several times")
      ->allow_extra_args(false);
  c->add_option("--tunings", o->overrides.tunings,
                "TOML file of tunings, as 'parity findings --tunings' writes it, in place of default ones");
  const CLI::Option* const repeats =
      c->add_option("--repeats", o->repeats, "Samples of each row, of all starts, in place of the plan's")
          ->transform(whole_from(1, 100000));
  const CLI::Option* const starts =
      c->add_option("--starts", o->starts,
                    "Starts of the program that they are spread over, in place of the plan's; intervals need "
                    "three")
          ->transform(whole_from(1, 1000));
  const CLI::Option* const time_cap =
      c->add_option("--time-cap", o->time_cap, "Seconds for the samples of a row, in place of the plan's")
          ->transform(number_from(0, 1e6));
  c->add_option("--json", o->sheets.json,
                "Write the records of the rows measured now to this file too; -: standard output");
  c->add_option("--csv", o->sheets.csv,
                "Write the table of the rows measured now to this file; -: standard output");
  c->add_flag("--energy", o->energy, energy_help);
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o, repeats, starts, time_cap] {
    if (*starts) o->overrides.starts = o->starts;
    if (*repeats) o->overrides.repeats = o->repeats;
    if (*time_cap) o->overrides.time_cap = o->time_cap;
    return run(*o);
  };
}

}  // namespace parity::commands
