// SPDX-License-Identifier: BSD-3-Clause
// parity instructions: how often each machine instruction of a plan's rows on the host is executed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "commands/commands.hpp"
#include "commands/numbers.hpp"
#include "commands/output_files.hpp"
#include "commands/places.hpp"
#include "commands/remarks.hpp"
#include "harness/measure.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/instruction_counts.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"
#include "runtime/threads.hpp"
#include "studies.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> plans;
  std::string output = "instructions.csv";
  double limit = 60;
  bool quiet = false;
};

/// What a run does, for estimates: operations, or words where it only moves some.
double size_of(const harness::CostModel& model) { return std::max(model.flops, model.bytes / 8); }

/// What a row will take, by those before it.
class Expected {
 public:
  double instructions(const harness::Choice& choice, const std::string& precision, double size) const {
    const auto of = per_size_.find({choice.entry->name, precision});
    return size * (of == per_size_.end() ? usual : of->second);
  }
  double seconds(double instructions) const { return instructions * (total_ > 0 ? seconds_ / total_ : each); }
  /// Whether that is known and not a first guess.
  bool knows(const harness::Choice& choice, const std::string& precision) const {
    return per_size_.count({choice.entry->name, precision}) > 0;
  }
  void add(const harness::Choice& choice, const std::string& precision, double size, double instructions,
           double seconds) {
    if (size > 0) per_size_[{choice.entry->name, precision}] = instructions / size;
    total_ += instructions, seconds_ += seconds;
  }

 private:
  static constexpr double usual = 3;     // instructions an operation
  static constexpr double each = 14e-6;  // seconds of one
  std::map<std::pair<std::string, std::string>, double> per_size_;
  double total_ = 0, seconds_ = 0;
};

/// How a row ended.
enum class End { counted, skipped, wrong, too_long };

/// A line for each instruction of one run. Points are those of a row of the grid, where there is one.
std::string lines_of(const harness::Measurement& row, const runtime::InstructionCounts& counts) {
  const auto points = row.problem.find("nx");
  const std::string begin = fmt::format("{},{},{},{},{:.17g},", row.study, row.kernel, row.word("precision"),
                                        points == row.problem.end() ? 0 : row.integer("nx"), row.model.flops);
  std::string text;
  for (const auto& [address, times] : counts.here) text += fmt::format("{}{:x},{}\n", begin, address, times);
  return text;
}

/// Counts the rows of plans into a file.
class Counting {
 public:
  Counting(const Options& o, double size)
      : o_(o), file_(o.output), progress_(1e-6 * size, "million operations", o.quiet) {
    progress_.log_every(30);
    add("study,kernel,precision,points_in_row,flops,address,times\n");
  }
  void row(const harness::Task& task, const harness::Choice& choice) {
    const harness::CostModel model = task.model(choice);
    const End end = counted(task, choice, model);
    done_ += size_of(model);
    ++rows_[end];
  }
  int finish() {
    progress_.clear();
    skipped_.print();
    const int found = rows_[End::counted], late = rows_[End::too_long], wrong = rows_[End::wrong];
    const std::string too_long = fmt::format(
        "{} would take more than {:g} s, one instruction after the other: make the problems smaller, or "
        "--limit larger",
        late == 1 ? "a row" : fmt::format("each of {} rows", late), o_.limit);
    if (found == 0)
      throw runtime::CannotRunError(late > 0 ? too_long : "nothing of this plan can be counted here");
    file_.commit();
    fmt::print("{} rows counted, {} skipped: {}\n", found, skipped_.rows(), runtime::shown(o_.output, 4096));
    if (wrong > 0) return runtime::exit_check_failed;
    if (late > 0) throw runtime::CannotRunError(too_long);
    return runtime::exit_ok;
  }

 private:
  const Options& o_;
  io::WholeFile file_;
  std::int64_t at_ = 0;
  harness::Progress progress_;
  Skipped skipped_;
  Expected expected_;
  double done_ = 0;  // operations of the rows before
  std::map<End, int> rows_;

  void add(const std::string& text) {
    file_.write_at(text.data(), text.size(), at_);
    at_ += std::int64_t(text.size());
  }
  End skip(const harness::Choice& choice, const std::string& why, End end = End::skipped) {
    skipped_.add(choice.name(), why);
    return end;
  }
  End counted(const harness::Task& task, const harness::Choice& choice, const harness::CostModel& model) {
    harness::Measurement row = harness::blank_row(task, choice);
    const std::string precision = row.problem.count("precision") > 0 ? row.word("precision") : "";
    const double instructions = expected_.instructions(choice, precision, size_of(model));
    const double seconds = expected_.seconds(instructions);
    progress_.update(1e-6 * done_, fmt::format("{} {}: about {:.0f} thousand instructions, {:.1f} s",
                                               task.text(), choice.name(), 1e-3 * instructions, seconds));
    if (const auto why = task.why_not(choice)) return skip(choice, *why);
    if (task.need(choice).device > 0) return skip(choice, "it runs on the GPU");
    const std::string late = fmt::format("would take more than {:g} s (--limit)", o_.limit);
    if (expected_.knows(choice, precision) && seconds > o_.limit) return skip(choice, late, End::too_long);
    const std::vector<harness::Choice> one{choice};
    harness::require_memory(task, one);
    const auto trials = task.trials(one, {});
    harness::Trial& trial = *trials.front();
    row.model = model;
    if (!trial.start(row).passed()) return skip(choice, "its result is wrong", End::wrong);
    trial.warm_up();  // what the first run alone does is over
    bool ran = false;
    const double start = runtime::host_seconds();
    const auto counts = runtime::count_instructions([&] { ran = trial.run_again(); }, o_.limit);
    if (!ran) return skip(choice, "its runs cannot be repeated by themselves");
    if (counts.cut) return skip(choice, late, End::too_long);
    expected_.add(choice, precision, size_of(model), counts.total(), runtime::host_seconds_since(start));
    add(lines_of(row, counts));
    return End::counted;
  }
};

int run(const Options& o) {
  require_apart({{"--output", o.output}}, o.plans);
  if (const std::string why = runtime::why_no_instruction_counts(); !why.empty())
    throw runtime::CannotRunError(why);
  if (runtime::chosen_threads() != 1)
    throw runtime::UsageError("instructions are those of one thread: give --threads 1");
  std::vector<harness::Plan> plans;
  double size = 0;
  for (const std::string& path : o.plans) {
    plans.push_back(harness::read_plan(studies(), path));
    for (const harness::Case& c : plans.back().cases)
      for (const harness::Choice& choice : c.choices) size += size_of(c.task->model(choice));
  }
  Counting counting(o, size);
  for (const harness::Plan& plan : plans)
    for (const harness::Case& c : plan.cases)
      for (const harness::Choice& choice : c.choices) {
        runtime::stop_if_interrupted();
        counting.row(*c.task, choice);
      }
  return counting.finish();
}

}  // namespace

Action add_instructions(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "instructions",
      "How often each machine instruction of a plan's rows on the host is executed in one run, for "
      "variants/host_work.py: one after the other, some 14 microseconds each, so the problems must be small: "
      "a "
      "field of 64 x 32 points takes half a second to three");
  c->add_option("plans", o->plans, "TOML plans, such as jobs/plans/explain_host_work.toml")->required();
  c->add_option("--output", o->output, "CSV file to write; -: standard output")->capture_default_str();
  c->add_option(
       "--limit", o->limit,
       "Seconds that counting a row may take; one that takes longer is skipped, and the command ends "
       "with 3")
      ->transform(number_from(1e-6, 1e9))
      ->capture_default_str();
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
