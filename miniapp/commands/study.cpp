// SPDX-License-Identifier: BSD-3-Clause
// parity diffusion, kde, launch ...: one comparison of a study's variants from the command line. It runs a
// plan of one product, that of the given lists.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using harness::Choice;
using harness::Study;
using runtime::UsageError;

struct Options {
  const harness::Studies* studies = nullptr;
  std::map<std::string, std::vector<std::string>> parameters;  ///< words by parameter
  std::vector<std::string> variants{"*"};
  std::string tunings;
  Request request;
  harness::RunOptions run;
  bool tune = false;
};

std::vector<std::string> words_of(const Options& o, const Study& study) {
  std::vector<std::string> words = o.variants;
  if (o.tune)
    for (std::string& w : words)
      if (w.find('/') == std::string::npos || w.rfind(study.name() + "/", 0) == 0) w += "/*";
  return words;
}

/// Throws if --baseline names none of the choices, before the measurement rather than after it.
void check_baseline(const Options& o, const Study& study, const std::vector<Choice>& choices) {
  if (o.request.baseline.empty()) return;
  std::vector<std::string> names;
  for (const Choice& c : choices) {
    if (is_called(o.request.baseline, study.name(), c.variant(), c.name())) return;
    names.push_back(c.name());
  }
  throw UsageError(fmt::format("--baseline {}: no such row is measured (--variants says what is){}",
                               runtime::shown(o.request.baseline),
                               runtime::did_you_mean(o.request.baseline, names)));
}

std::map<std::string, std::vector<harness::Value>> axes_of(const Options& o, const Study& study) {
  std::map<std::string, std::vector<harness::Value>> axes;
  for (const harness::Parameter& p : study.parameters()) {
    const auto& words = o.parameters.at(p.name);
    for (const std::string& word : words.empty() ? p.command_standard : words)
      axes[p.name].push_back(p.parse(p.option_name(), word));
    if (axes[p.name].empty()) axes.erase(p.name);
  }
  return axes;
}

int run(const Options& o, const Study& study) {
  const auto choices = harness::select(study, words_of(o, study));
  harness::Plan plan{harness::product(study, axes_of(o, study), choices), o.run};
  if (!o.tunings.empty()) harness::use_tunings(harness::read_tunings(*o.studies, o.tunings), plan.cases);
  check_baseline(o, study, choices);
  if (o.tune && plan.cases.size() > 1)
    throw UsageError("--tune: the best tunings are those of one problem; give one value for each parameter");
  Request request = o.request;
  request.tables = true;
  request.inputs = {o.tunings};
  if (o.tune) request.at_end = [](const auto& rows) { fmt::print("\n{}", best_tunings_text(rows)); };
  return run_plan(std::move(plan), request);
}

/// The parameter's help as the command shows it: unit, range and default.
std::string help_of(const harness::Parameter& p) {
  std::string text =
      p.help + (p.words.empty() || p.words.size() > 8 ? "" : fmt::format(" ({})", fmt::join(p.words, ", ")));
  const std::string standard = p.command_standard.empty()
                                   ? harness::to_string(p.standard)
                                   : fmt::format("{}", fmt::join(p.command_standard, ","));
  if (p.words.empty()) text += "; " + p.range();
  return text + " [" + standard + "]";
}

}  // namespace

Action add_study(CLI::App& app, const Study& study, const harness::Studies& studies) {
  auto o = std::make_shared<Options>();
  o->studies = &studies;
  o->run = study.about().options;
  CLI::App* c = app.add_subcommand(study.name(), study.about().help);
  for (const harness::Parameter& p : study.parameters())
    c->add_option(p.option_name(), o->parameters[p.name], help_of(p))
        ->delimiter(',')
        ->type_name(p.unit.empty() ? "VALUE" : p.unit);
  const bool has_tunings = study.about().has_tunings;
  c->add_option(
       "--variants", o->variants,
       fmt::format("Names or globs kernel{}{}: {}", study.about().mechanisms.empty() ? "" : "[+mechanism]",
                   has_tunings ? "[/tuning]" : "", study.about().examples))
      ->delimiter(',')
      ->capture_default_str();
  if (!study.about().times_are_results)
    c->add_option("--baseline", o->request.baseline,
                  "Row that ratios refer to (default: the fastest native one)");
  c->add_option("--repeats", o->run.repeats, "Timed samples of each variant, of all starts together")
      ->transform(whole_from(1, 100000))
      ->capture_default_str();
  c->add_option("--starts", o->run.processes,
                "Starts of the program that they are spread over; intervals need three")
      ->transform(whole_from(1, 1000))
      ->capture_default_str();
  c->add_option("--warmup", o->run.warmup, "Untimed runs of each start before them, the checked one included")
      ->transform(whole_from(1, 1000))
      ->capture_default_str();
  c->add_option("--time-cap", o->run.time_cap,
                fmt::format("Seconds for the samples of a variant; it gets {} at least",
                            harness::RunOptions::least_repeats))
      ->transform(number_from(0, 1e6))
      ->capture_default_str();
  if (has_tunings) {
    c->add_flag("--tune", o->tune, "Measure every tuning of the chosen variants and print the best lines");
    c->add_option("--tunings", o->tunings,
                  "TOML file of tunings, as --tune prints it or 'parity findings --tunings' writes it");
  }
  c->add_option("--json", o->request.json, "Write the records (JSON lines) to this file; -: standard output");
  c->add_option("--csv", o->request.csv, "Write the table to this file; -: standard output");
  if (!study.about().times_are_results) c->add_flag("--energy", o->request.energy, energy_help);
  c->add_flag("--quiet", o->request.quiet, "No progress line");
  c->add_flag("--verbose", o->request.verbose,
              "Every pair, every metric, the checks, and whatever was skipped");
  return [o, &study] { return run(*o, study); };
}

}  // namespace parity::commands
