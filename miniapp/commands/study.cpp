// SPDX-License-Identifier: BSD-3-Clause
// parity diffusion, kde, launch ...: one comparison of a study's variants from the command line, the product
// of the lists that are given.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "commands/blocks.hpp"
#include "commands/caveats.hpp"
#include "commands/commands.hpp"
#include "commands/energy.hpp"
#include "commands/numbers.hpp"
#include "commands/output_files.hpp"
#include "commands/places.hpp"
#include "commands/table.hpp"
#include "harness/environment.hpp"
#include "harness/measure.hpp"
#include "harness/plan.hpp"
#include "harness/progress.hpp"
#include "runtime/error.hpp"
#include "runtime/signals.hpp"
#include "runtime/suggest.hpp"
#include "runtime/text.hpp"
#include "studies.hpp"

namespace parity::commands {
namespace {

using harness::Choice;
using harness::Study;
using runtime::UsageError;

struct Options {
  std::map<std::string, std::vector<std::string>> parameters;      ///< words by parameter
  std::map<std::string, std::vector<std::string>> tuning_options;  ///< words by option
  std::vector<std::string> variants{"*"};
  std::string baseline, json, csv, tunings;
  harness::RunOptions run;
  bool tune = false, energy = false, quiet = false;
};

/// The words of --variants, asking for all tunings with --tune.
std::vector<std::string> words_of(const Options& o, const Study& study) {
  std::vector<std::string> words = o.variants;
  if (o.tune)
    for (std::string& w : words)
      if (w.find('/') == std::string::npos || w.rfind(study.name() + "/", 0) == 0) w += "/*";
  return words;
}

/// Puts what an option such as --block-width asks for in the place of the tuning of every variant that has
/// it.
std::vector<Choice> with_tuning_options(const Options& o, std::vector<Choice> choices) {
  for (const auto& [option, words] : o.tuning_options) {
    if (words.empty()) continue;
    std::vector<harness::Tuning> tunings;
    for (const std::string& word : words) {
      const auto tuning = harness::parse_tuning(word);
      if (!tuning || tuning->values.size() != 1)
        throw UsageError(
            fmt::format("--{} is '{}': give a whole number from 1", option, runtime::shown(word)));
      tunings.push_back(*tuning);
    }
    std::vector<Choice> all;
    const harness::Entry* done =
        nullptr;  // whose tunings, of which --tune chose several, are replaced already
    for (const Choice& c : choices) {
      if (c.entry->tuning_option != option) {
        all.push_back(c);
        continue;
      }
      if (c.entry == done) continue;
      done = c.entry;
      for (const harness::Tuning& tuning : tunings) {
        all.push_back(c);
        all.back().tuning = tuning;
        all.back().standard_tuning = false;
      }
    }
    if (!done)
      throw UsageError(
          fmt::format("--{}: none of the variants has one in this build; leave it away", option));
    choices = std::move(all);
  }
  return choices;
}

/// Throws where --baseline names none of the choices: better now than after the measuring.
void check_baseline(const Options& o, const Study& study, const std::vector<Choice>& choices) {
  if (o.baseline.empty()) return;
  std::vector<std::string> names;
  for (const Choice& c : choices) {
    if (is_called(o.baseline, study.name(), c.variant(), c.name())) return;
    names.push_back(c.name());
  }
  throw UsageError(fmt::format("--baseline {}: no such row is measured (--variants says what is){}",
                               runtime::shown(o.baseline), runtime::did_you_mean(o.baseline, names)));
}

/// For every variant with tunings, its best line as it goes into a plan's [tunings].
void print_best_tunings(const Study& study, const std::vector<Measurement>& rows) {
  fmt::print("\n# best tunings; put them into a plan, or give this file with --tunings\n[tunings]\n");
  for (const harness::Entry* e : study.entries()) {
    const Measurement *best = nullptr, *standard = nullptr;
    for (const Measurement& m : rows) {
      if (m.kernel != e->name || m.mechanism != "stream" || e->tunings.empty() || !m.comparable()) continue;
      if (m.tuning == e->tunings.front()) standard = &m;
      if (!best || m.host().value < best->host().value) best = &m;
    }
    if (!best) continue;
    std::string note;
    if (standard && standard != best)
      note = fmt::format("; default {}: {:.3f} us", standard->tuning, 1e6 * standard->host().value);
    fmt::print("\"{}\" = \"{}\"  # {:.3f} us{}\n", best->study + "/" + e->name, best->tuning,
               1e6 * best->host().value, note);
  }
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

/// ": what one more launch adds", where a word of the problem needs that.
std::string meaning_of(const Study& study, const harness::Task& task) {
  const harness::Values values = task.values();
  for (const harness::Parameter& p : study.parameters())
    for (const harness::Term& term : study.words_of(p))
      if (const auto v = values.find(p.name); v != values.end() && v->second == harness::Value(term.word))
        return ": " + term.meaning;
  return "";
}

/// The comparison, in this block.
class Comparing {
 public:
  Comparing(const Options& o, const Study& study)
      : o_(o),
        study_(study),
        options_(o.run),
        energy_(energy_probe(o.energy, study)),
        blocks_(options_),
        files_(o.json, o.csv, blocks_.is_last()) {
    options_.energy = energy_.get();
  }

  int run(const std::vector<harness::Case>& cases) {
    blocks_.open("", harness::Existing::refuse, o_.energy);
    if (blocks_.is_first()) blocks_.file().append(harness::this_environment());
    const std::string files_asked =
        o_.json.empty() && o_.csv.empty() ? "" : "; --json and --csv were not written";
    runtime::say_when_stopped("no problem was finished" + files_asked);
    int steps = 0;
    for (const harness::Case& c : cases)
      steps += int(c.choices.size()) * (options_.repeats_in_block() + 2 + o_.energy);
    harness::Progress progress(steps, o_.quiet);
    std::size_t problems = 0;
    for (const harness::Case& c : cases) {
      measure(c, progress);
      if (blocks_.is_last())
        runtime::say_when_stopped(fmt::format("the tables of {} of {} problems are above{}", ++problems,
                                              cases.size(), files_asked));
    }
    if (blocks_.file().has_no_row()) {
      skipped_.print();
      throw runtime::CannotRunError("none of the variants can run here, for the reasons above");
    }
    if (!blocks_.is_last()) return blocks_.go_on();
    skipped_.print();
    print_missing_joules(all_);
    caveats_.expect(blocks_.count());
    print_caveats(caveats_);
    if (o_.tune) print_best_tunings(study_, all_);  // last, so that a plan can end with what is copied
    files_.write(all_, all_skipped_, [&] { return to_csv(study_, all_, o_.baseline); });
    return blocks_.file().failed() ? runtime::exit_check_failed : runtime::exit_ok;
  }

 private:
  void measure(const harness::Case& c, harness::Progress& progress) {
    const std::string title = study_.name() + " " + c.task->text();
    if (blocks_.is_last() && !study_.times_are_results()) {
      progress.clear();
      fmt::print("{}\n", title);
      std::fflush(stdout);
    }
    std::vector<Choice> open;
    for (const Choice& choice : c.choices)
      if (!blocks_.has(key(harness::blank_row(*c.task, choice)))) open.push_back(choice);
    const harness::Measured m = harness::measure(
        *c.task, open, options_,
        [&](const std::string& what) { progress.update(done_++, blocks_.text() + title + " " + what); },
        [&](const Measurement& row) { blocks_.file().append(row); });
    progress.clear();
    skipped_.add(m.skipped);
    blocks_.file().append(m.skipped);
    if (!blocks_.is_last()) return;
    for (const Choice& choice : c.choices)
      if (auto s = blocks_.file().skipped(key(harness::blank_row(*c.task, choice))))
        all_skipped_.push_back(std::move(*s));
    if (study_.times_are_results()) fmt::print("{}{}\n", title, meaning_of(study_, *c.task));
    std::vector<Measurement> rows;
    for (const Choice& choice : c.choices)
      if (auto row = blocks_.file().row(key(harness::blank_row(*c.task, choice))))
        rows.push_back(std::move(*row));
    if (!rows.empty()) {
      print_table(study_, rows, o_.baseline);
      print_pairs(analysis::pairs_of(rows));
      std::fflush(stdout);
    }
    for (const Measurement& row : rows) {
      caveats_.add(row);
      all_.push_back(row);
    }
  }

  const Options& o_;
  const Study& study_;
  harness::RunOptions options_;
  std::unique_ptr<harness::EnergyProbe> energy_;
  ProcessRepeats blocks_;
  OutputFiles files_;
  int done_ = 0;
  std::vector<Measurement> all_;
  std::vector<harness::SkippedRow> all_skipped_;
  Skipped skipped_;
  Caveats caveats_;
};

int run(const Options& o, const Study& study) {
  require_apart({{"--json", o.json}, {"--csv", o.csv}}, {o.tunings});
  const auto choices = with_tuning_options(o, harness::select(study, words_of(o, study)));
  std::vector<harness::Case> cases = harness::product(study, axes_of(o, study), choices);
  if (!o.tunings.empty()) harness::use_tunings(study, harness::read_tunings(studies(), o.tunings), cases);
  check_baseline(o, study, choices);
  if (o.tune && cases.size() > 1)
    throw UsageError("--tune: the best tunings are those of one problem; give one value for each parameter");
  for (const harness::Case& c : cases) harness::require_memory(*c.task, c.choices);
  return Comparing(o, study).run(cases);
}

/// The parameter's help as the command shows it: unit, range, what is measured without the option.
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

Action add_study(CLI::App& app, const Study& study) {
  auto o = std::make_shared<Options>();
  o->run = study.command_options();
  CLI::App* c = app.add_subcommand(study.name(), study.command_help());
  for (const harness::Parameter& p : study.parameters())
    c->add_option(p.option_name(), o->parameters[p.name], help_of(p))
        ->delimiter(',')
        ->type_name(p.unit.empty() ? "VALUE" : p.unit);
  for (const std::string& option : study.tuning_options())
    c->add_option("--" + option, o->tuning_options[option],
                  "Tunings for the variants that have this one, e.g. 2,64,1024")
        ->delimiter(',');
  bool has_tunings = false;
  for (const harness::Entry* e : study.entries()) has_tunings = has_tunings || !e->tunings.empty();
  c->add_option("--variants", o->variants,
                fmt::format("Names or globs kernel{}{}: {}", study.mechanisms().empty() ? "" : "[+mechanism]",
                            has_tunings ? "[/tuning]" : "", study.example_variants()))
      ->delimiter(',')
      ->capture_default_str();
  if (!study.times_are_results())
    c->add_option("--baseline", o->baseline, "Row that ratios refer to (default: the fastest native one)");
  c->add_option("--repeats", o->run.repeats, "Timed samples of each variant, of all starts together")
      ->transform(whole_from(1, 100000))
      ->capture_default_str();
  c->add_option("--starts", o->run.blocks,
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
  c->add_option("--json", o->json, "Write the records (JSON lines) to this file; -: standard output");
  c->add_option("--csv", o->csv, "Write the table to this file; -: standard output");
  if (!study.times_are_results()) c->add_flag("--energy", o->energy, energy_help);
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o, &study] { return run(*o, study); };
}

}  // namespace parity::commands
