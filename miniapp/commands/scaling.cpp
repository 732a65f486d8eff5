// SPDX-License-Identifier: BSD-3-Clause
// parity findings --scaling: weak and strong efficiencies of rows of several ranks.
#include "analysis/scaling.hpp"

#include <fmt/format.h>

#include "commands/of_records.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {

int print_scaling(const Paths& records, const SheetOptions& sheets) {
  SheetFiles files(sheets, records);
  const harness::Records found = harness::read_records(records);
  Sheet sheet{
      "scaling", {"variant", "problem", "ranks", "measured us", "weak_efficiency", "strong_efficiency"}, {}};
  fmt::print("us a step (of kde, of all densities), and efficiencies against the same variant on one rank\n");
  fmt::print("  {:<36} {:>6} {:>11} {:>9} {:>9}\n", "variant", "ranks", "measured", "weak", "strong");
  const auto percent = [](const std::optional<double>& share) {
    return share ? fmt::format("{:.1f} %", 100 * *share) : "";
  };
  for (const analysis::ScaledRow& r : analysis::scaled_rows(found.measurements)) {
    const harness::Measurement& m = *r.row;
    sheet.rows.push_back({m.name(), m.problem_text(), std::int64_t(r.ranks), 1e6 * r.seconds,
                          r.weak ? Cell(*r.weak) : Cell(), r.strong ? Cell(*r.strong) : Cell()});
    fmt::print("  {:<36} {:>6} {:>11.3f} {:>9} {:>9}  {}\n", m.name(), r.ranks, 1e6 * r.seconds,
               percent(r.weak), percent(r.strong), m.problem_text());
  }
  files.write({sheet});
  return runtime::exit_ok;
}

}  // namespace parity::commands
