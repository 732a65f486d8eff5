// SPDX-License-Identifier: BSD-3-Clause
// parity findings --tunings: the best tuning of each variant on each problem of a sweep, as a file for
// 'measure
// --tunings'.
#include "analysis/tunings.hpp"

#include <fmt/format.h>

#include "analysis/origins.hpp"
#include "commands/of_records.hpp"
#include "commands/output_files.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

std::string lead_text(const analysis::Tuned& t) {
  if (!t.second) return "the only one tried";
  return fmt::format("{} tried, the next best {} takes x{:.3f}", t.tried, t.second->tuning,
                     t.second->host().value / t.best->host().value);
}

}  // namespace

int write_tunings(const Paths& records, const std::string& output) {
  require_apart({{"--tunings", output}}, records);
  const auto origins = analysis::by_origin(harness::read_records(records).measurements);
  if (origins.size() > 1)
    throw runtime::UsageError(fmt::format("{}: rows of {} and of {}; tunings come from one sweep",
                                          fmt::join(records, " "), origins[0].text, origins[1].text));
  const std::vector<analysis::Tuned> all = analysis::best_tunings(origins.front().rows);
  if (all.empty())
    throw runtime::UsageError(
        fmt::format("{}: no row with a tuning; measure a sweep, with names such as 'kokkos-fused-tuned/*'",
                    fmt::join(records, " ")));
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
  write_text(output, text);
  return runtime::exit_ok;
}

}  // namespace parity::commands
