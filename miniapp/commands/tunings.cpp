// SPDX-License-Identifier: BSD-3-Clause
// parity tunings: the best tuning of each variant on each problem of a sweep, as a file for 'measure
// --tunings'.
#include "analysis/tunings.hpp"

#include <fmt/format.h>

#include <memory>

#include "analysis/origins.hpp"
#include "commands/commands.hpp"
#include "commands/output_files.hpp"
#include "commands/places.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> records;
  std::string output = "-";
};

std::string lead_text(const analysis::Tuned& t) {
  if (!t.second) return "the only one tried";
  return fmt::format("{} tried, the next best {} takes x{:.3f}", t.tried, t.second->tuning,
                     t.second->host().value / t.best->host().value);
}

int run(const Options& o) {
  require_apart({{"--output", o.output}}, o.records);
  const auto origins = analysis::by_origin(harness::read_records(o.records).measurements);
  if (origins.size() > 1)
    throw runtime::UsageError(fmt::format("{}: rows of {} and of {}; tunings come from one sweep",
                                          fmt::join(o.records, " "), origins[0].text, origins[1].text));
  const std::vector<analysis::Tuned> all = analysis::best_tunings(origins.front().rows);
  if (all.empty())
    throw runtime::UsageError(
        fmt::format("{}: no row with a tuning; measure a sweep, with names such as 'kokkos-fused/*'",
                    fmt::join(o.records, " ")));
  std::string text = fmt::format("# Tunings with the shortest time of a sweep; {}.\n", origins.front().text);
  const harness::Measurement* place = nullptr;
  for (const analysis::Tuned& t : all) {
    if (!place || place->study != t.best->study || place->problem != t.best->problem)
      text += fmt::format("\n[[tuned]]\nproblem = \"{}\"\n[tuned.tunings]\n", t.best->problem_text());
    place = t.best;
    text += fmt::format("\"{}/{}\" = \"{}\" # {:.4g} us; {}\n", t.best->study, t.best->variant,
                        t.best->tuning, 1e6 * t.best->host().value, lead_text(t));
  }
  for (const std::string& line : analysis::unequal_budgets(origins.front().rows))
    text += "# unequal budgets: " + line + "\n";
  write_text(o.output, text);
  return runtime::exit_ok;
}

}  // namespace

Action add_tunings(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("tunings",
                                   "The best tuning of each variant on each problem of a sweep, as a file "
                                   "for 'measure --tunings': the ratio "
                                   "of the best is then measured in a run of its own");
  c->add_option("records", o->records, "Files of records of a sweep (name/* in a plan)")->required();
  c->add_option("--output", o->output, "TOML file to write; -: standard output")->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
