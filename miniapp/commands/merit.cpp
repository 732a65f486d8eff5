// SPDX-License-Identifier: BSD-3-Clause
// parity findings --merit: figures of merit, one a line, for ReFrame and other monitoring.
#include "analysis/merit.hpp"

#include <fmt/format.h>

#include "commands/of_records.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {

int print_merit(const Paths& records, const SheetOptions& sheets) {
  SheetFiles files(sheets, records);
  const analysis::Merits merits = analysis::merits_of(harness::read_records(records).measurements);
  Sheet sheet{"merit", {"name", "problem", "metric", "value", "unit"}, {}};
  for (const analysis::Merit& m : merits.figures) {
    sheet.rows.push_back({m.name, m.problem, m.metric, m.value, m.unit});
    fmt::print("merit {} {} {} {:.6g} {}\n", m.name, m.problem, m.metric, m.value, m.unit);
  }
  fmt::print("merit rows - verified {} rows\nmerit rows - wrong {} rows\n", merits.verified, merits.wrong);
  files.write({sheet});
  return merits.wrong > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

}  // namespace parity::commands
