// SPDX-License-Identifier: BSD-3-Clause
// What 'parity findings' prints in place of conclusions: --merit, --scaling, --tunings.
#include <fmt/format.h>

#include "analysis/comparison.hpp"
#include "analysis/findings.hpp"
#include "commands/commands.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {

int print_merit(const Paths& records, const SheetOptions& sheets) {
  OutputFiles files(sheets, records);
  const analysis::Merits merits = analysis::merits_of(harness::read_records(records).measurements);
  Sheet sheet{"merit", {"name", "problem", "metric", "value", "unit"}, {}};
  for (const analysis::Merit& m : merits.figures) {
    sheet.rows.push_back({m.name, m.problem, m.metric, m.value, m.unit});
    fmt::print("merit {} {} {} {:.6g} {}\n", m.name, m.problem, m.metric, m.value, m.unit);
  }
  fmt::print("merit rows - verified {} rows\n", merits.verified);
  if (merits.unreliable > 0) fmt::print("merit rows - unreliable {} rows\n", merits.unreliable);
  fmt::print("merit rows - wrong {} rows\n", merits.wrong);
  files.write({sheet});
  return merits.wrong > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

int print_scaling(const Paths& records, const SheetOptions& sheets) {
  OutputFiles files(sheets, records);
  const harness::Records found = harness::read_records(records);
  Sheet sheet{
      "scaling",
      {"variant", "problem", "ranks", "measured us", "weak_efficiency", "strong_efficiency", "of_z_cut"},
      {}};
  fmt::print(
      "us a step (of kde, of all densities), and efficiencies against the same variant on one rank;\n"
      "of z cut: against the fastest result of the family where as many ranks share planes alone\n");
  fmt::print("  {:<36} {:>6} {:>11} {:>9} {:>9} {:>9}\n", "variant", "ranks", "measured", "weak", "strong",
             "of z cut");
  const auto percent = [](const std::optional<double>& share) {
    return share ? fmt::format("{:.1f} %", 100 * *share) : "";
  };
  for (const analysis::ScaledRow& r : analysis::scaled_rows(found.measurements)) {
    const Measurement& m = *r.row;
    sheet.rows.push_back({m.name(), m.problem_text(), std::int64_t(r.ranks), 1e6 * r.seconds,
                          r.weak ? Cell(*r.weak) : Cell(), r.strong ? Cell(*r.strong) : Cell(),
                          r.of_z_cut ? Cell(*r.of_z_cut) : Cell()});
    fmt::print("  {:<36} {:>6} {:>11.3f} {:>9} {:>9} {:>9}  {}\n", m.name(), r.ranks, 1e6 * r.seconds,
               percent(r.weak), percent(r.strong), percent(r.of_z_cut), m.problem_text());
  }
  files.write({sheet});
  return runtime::exit_ok;
}

namespace {

/// "diffusion/kokkos-fused-tuned" = "1x2x128" # time, and how the others did
std::string tuning_line(const analysis::Tuned& t) {
  const Measurement& best = *t.best;
  std::string lead = "the only one tried";
  if (t.second)
    lead = fmt::format("{} tried, the next best {} takes x{:.3f}", t.tried, t.second->tuning,
                       t.second->host().value / best.host().value);
  return fmt::format("\"{}/{}\" = \"{}\" # {:.4g} us; {}\n", best.study, best.variant, best.tuning,
                     1e6 * best.host().value, lead);
}

}  // namespace

std::string best_tunings_text(const std::vector<Measurement>& rows) {
  std::string text = "# best tunings; put them into a plan, or give this file with --tunings\n[tunings]\n";
  for (const analysis::Tuned& t : analysis::best_tunings(rows)) text += tuning_line(t);
  return text;
}

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
  const Measurement* place = nullptr;
  for (const analysis::Tuned& t : all) {
    if (!place || place->study != t.best->study || place->problem != t.best->problem)
      text += fmt::format("\n[[tuned]]\nproblem = \"{}\"\n[tuned.tunings]\n", t.best->problem_text());
    place = t.best;
    text += tuning_line(t);
  }
  for (const std::string& line : analysis::unequal_budgets(origins.front().rows))
    text += "# unequal budgets: " + line + "\n";
  write_text(output, text);
  return runtime::exit_ok;
}

}  // namespace parity::commands
