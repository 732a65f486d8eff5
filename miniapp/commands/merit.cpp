// SPDX-License-Identifier: BSD-3-Clause
// parity merit: figures of merit, one a line, for ReFrame and other monitoring.
#include "study/merit.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "study/error.hpp"
#include "study/records.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> records;
};

int run(const Options& o) {
  const std::vector<nlohmann::json> records = study::read_records(o.records);
  const study::Merits merits = study::merits_of(records);
  if (merits.verified + merits.wrong == 0)
    throw study::UsageError(fmt::format("{}: holds no measurement", fmt::join(o.records, " ")));
  for (const study::Merit& m : merits.figures)
    fmt::print("merit {} {} {} {:.6g} {}\n", m.name, m.problem, m.metric, m.value, m.unit);
  fmt::print("merit rows - verified {} rows\nmerit rows - wrong {} rows\n", merits.verified, merits.wrong);
  return merits.wrong > 0 ? study::exit_check_failed : study::exit_ok;
}

}  // namespace

Action add_merit(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "merit",
      "Figures of merit of records, one a line: 'merit NAME PROBLEM METRIC VALUE UNIT', for monitoring");
  c->add_option("records", o->records, "Files of records, or folders of results, read together")->required();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
