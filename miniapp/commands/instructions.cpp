// SPDX-License-Identifier: BSD-3-Clause
// parity instructions: how often each machine instruction of a plan's rows on the host is executed.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/output_files.hpp"
#include "commands/places.hpp"
#include "commands/remarks.hpp"
#include "harness/measure.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
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
  bool quiet = false;
};

/// A line for each instruction of one run. Points are those of a row of the grid, where there is one.
std::string lines_of(const harness::Measurement& row, const runtime::InstructionCounts& counts) {
  const auto points = row.problem.find("nx");
  const std::string begin = fmt::format("{},{},{},{},{:.17g},", row.study, row.kernel, row.word("precision"),
                                        points == row.problem.end() ? 0 : row.integer("nx"), row.model.flops);
  std::string text;
  for (const auto& [address, times] : counts.here) text += fmt::format("{}{:x},{}\n", begin, address, times);
  return text;
}

/// One run of a row that is right; empty with a note where there is none.
std::string counted(const harness::Task& task, const harness::Choice& choice, harness::Trial& trial,
                    Skipped& skipped) {
  harness::Measurement row = harness::blank_row(task, choice);
  row.model = task.model(choice);
  if (!trial.start(row).passed()) {
    skipped.add(choice.name(), "its result is wrong");
    return {};
  }
  trial.warm_up();  // what the first run alone does is over
  bool ran = false;
  const runtime::InstructionCounts counts = runtime::count_instructions([&] { ran = trial.run_again(); });
  if (!ran) skipped.add(choice.name(), "its runs cannot be repeated by themselves");
  return ran ? lines_of(row, counts) : std::string();
}

int run(const Options& o) {
  require_apart({{"--output", o.output}}, o.plans);
  if (const std::string why = runtime::why_no_instruction_counts(); !why.empty())
    throw runtime::CannotRunError(why);
  if (runtime::chosen_threads() != 1)
    throw runtime::UsageError("instructions are those of one thread: give --threads 1");
  std::vector<harness::Plan> plans;
  double rows = 0;
  for (const std::string& path : o.plans) {
    plans.push_back(harness::read_plan(studies(), path));
    for (const harness::Case& c : plans.back().cases) rows += double(c.choices.size());
  }
  io::WholeFile file(o.output);
  std::int64_t at = 0;
  const auto add = [&](const std::string& text) {
    file.write_at(text.data(), text.size(), at);
    at += std::int64_t(text.size());
  };
  add("study,kernel,precision,points_in_row,flops,address,times\n");
  harness::Progress progress(rows, "rows", o.quiet);
  Skipped skipped;
  int done = 0, found = 0;
  for (const harness::Plan& plan : plans)
    for (const harness::Case& c : plan.cases)
      for (const harness::Choice& choice : c.choices) {
        runtime::stop_if_interrupted();
        progress.update(done++, c.task->text() + " " + choice.name());
        if (const auto why = c.task->why_not(choice)) {
          skipped.add(choice.name(), *why);
        } else if (c.task->need(choice).device > 0) {
          skipped.add(choice.name(), "it runs on the GPU");
        } else {
          const std::vector<harness::Choice> one{choice};
          harness::require_memory(*c.task, one);
          const auto trials = c.task->trials(one, {});
          const std::string lines = counted(*c.task, choice, *trials.front(), skipped);
          add(lines);
          found += !lines.empty();
        }
      }
  progress.clear();
  skipped.print();
  if (found == 0) throw runtime::CannotRunError("nothing of this plan can be counted here");
  file.commit();
  fmt::print("{} rows counted, {} skipped: {}\n", found, skipped.rows(), runtime::shown(o.output, 4096));
  return runtime::exit_ok;
}

}  // namespace

Action add_instructions(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "instructions",
      "How often each machine instruction of a plan's rows on the host is executed in one run, for "
      "variants/host_work.py: one after the other, some ten microseconds each, so the problems must be "
      "small");
  c->add_option("plans", o->plans, "TOML plans, such as jobs/plans/explain_host_work.toml")->required();
  c->add_option("--output", o->output, "CSV file to write; -: standard output")->capture_default_str();
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
