// SPDX-License-Identifier: BSD-3-Clause
// parity export: records of any schema as one JSON document with their pairs, for the report and other
// programs.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/pairs.hpp"
#include "commands/commands.hpp"
#include "commands/output_files.hpp"
#include "commands/places.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

using Json = nlohmann::json;

struct Options {
  std::vector<std::string> records;
  std::string output = "-";
};

Json to_json(const harness::Estimate& e) {
  return {{"value", e.value},
          {"low", e.interval ? Json(e.interval->low) : Json()},
          {"high", e.interval ? Json(e.interval->high) : Json()},
          {"starts", e.blocks}};
}

Json document_of(const harness::Records& records) {
  Json document = {
      {"schema", 3}, {"runs", Json::array()}, {"measurements", Json::array()}, {"pairs", Json::array()}};
  for (const harness::Environment& e : records.environments) {
    Json run = harness::to_json(e.run);
    run.update({{"time", e.time},
                {"slice", e.slice},
                {"threads", e.threads},
                {"complete", e.complete},
                {"lines", e.lines}});
    document["runs"].push_back(std::move(run));
  }
  for (const harness::Measurement& m : records.measurements) {
    document["measurements"].push_back(to_json(m));
    document["measurements"].back()["place"] = m.place;
  }
  for (const analysis::Pair& p : analysis::pairs_of(records.measurements))
    document["pairs"].push_back({{"portable", p.portable - records.measurements.data()},
                                 {"native", p.native - records.measurements.data()},
                                 {"ratio", to_json(p.ratio)},
                                 {"difference", to_json(p.difference)},
                                 {"samples", p.ratio.samples}});
  return document;
}

int run(const Options& o) {
  require_apart({{"--output", o.output}}, o.records);
  const std::string text =
      document_of(harness::read_records(o.records)).dump(-1, ' ', false, Json::error_handler_t::replace) +
      "\n";
  write_text(o.output, text);
  return runtime::exit_ok;
}

}  // namespace

Action add_export(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "export", "Records as one JSON document: runs, measurements, and the pairs portable / native");
  c->add_option("records", o->records, "Files of records, or folders of results, read together")->required();
  c->add_option("--output", o->output, "File to write; -: standard output")->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
