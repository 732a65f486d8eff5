// SPDX-License-Identifier: BSD-3-Clause
// parity rates: how fast variants of the diffusion study were on GPUs, as the table that is compiled in and
// from which 'parity filter' chooses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/output_files.hpp"
#include "diffusion/recorded_rates.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> records;
  std::string output = "-";
};

int run(const Options& o) {
  require_apart({{"--output", o.output}}, o.records);
  const auto rates = diffusion::rates_in(harness::read_records(o.records));
  if (rates.empty())
    throw runtime::UsageError(
        fmt::format("{}: no row of the diffusion study that a GPU computed, was right and "
                    "launched plainly",
                    fmt::join(o.records, " ")));
  write_text(o.output, diffusion::table_of(rates, o.records));
  return runtime::exit_ok;
}

}  // namespace

Action add_rates(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c =
      app.add_subcommand("rates",
                         "How fast the variants of the diffusion study were on the GPUs of records, as "
                         "miniapp/diffusion/recorded_rates.def, which is compiled in: 'parity filter' "
                         "chooses by it on such a GPU");
  c->add_option("records", o->records, "Files of records, read together")->required();
  c->add_option("--output", o->output, "File to write; -: standard output")->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
