// SPDX-License-Identifier: BSD-3-Clause
// parity merit: figures of merit, one a line, for ReFrame and other monitoring.
#include "analysis/merit.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/sheet.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> records;
  SheetOptions sheets;
};

int run(const Options& o) {
  SheetFiles files(o.sheets, o.records);
  const analysis::Merits merits = analysis::merits_of(harness::read_records(o.records).measurements);
  Sheet sheet{"merit", {"name", "problem", "metric", "value", "unit"}, {}};
  for (const analysis::Merit& m : merits.figures) {
    sheet.rows.push_back({m.name, m.problem, m.metric, m.value, m.unit});
    fmt::print("merit {} {} {} {:.6g} {}\n", m.name, m.problem, m.metric, m.value, m.unit);
  }
  fmt::print("merit rows - verified {} rows\nmerit rows - wrong {} rows\n", merits.verified, merits.wrong);
  files.write({sheet});
  return merits.wrong > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

}  // namespace

Action add_merit(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "merit",
      "Figures of merit of records, one a line: 'merit NAME PROBLEM METRIC VALUE UNIT', for monitoring");
  c->add_option("records", o->records, "Files of records, or folders of results, read together")->required();
  o->sheets.add_to(*c);
  return [o] { return run(*o); };
}

}  // namespace parity::commands
