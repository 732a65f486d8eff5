// SPDX-License-Identifier: BSD-3-Clause
// parity scaling: the model of weak and strong scaling beside what was measured, and what it says of more
// ranks.
#include "commands/scaling.hpp"

#include <fmt/format.h>

#include <memory>

#include "analysis/scaling.hpp"
#include "commands/numbers.hpp"
#include "commands/sheet.hpp"
#include "harness/records.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> records;
  int ranks = 1024, ranks_per_node = 4;
  SheetOptions sheets;
};

Cell share_of(const std::optional<double>& share) { return share ? Cell(*share) : Cell(); }
std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "";
}

Sheet print_rows(const analysis::Scaling& s) {
  Sheet sheet{"scaling",
              {"variant", "problem", "ranks", "measured us", "kernel us", "messages us", "predicted us",
               "error", "weak_efficiency", "strong_efficiency", "missing"},
              {}};
  fmt::print(
      "measured beside the model, us a step (of kde, of all densities)\n  {:<28} {:>6} {:>11} {:>11} {:>11} "
      "{:>11} {:>9} {:>9} {:>9}\n",
      "variant", "ranks", "measured", "kernels", "messages", "predicted", "error", "weak", "strong");
  for (const analysis::ScaledRow& r : s.rows) {
    const harness::Measurement& m = *r.row;
    const bool predicted = r.missing.empty();
    sheet.rows.push_back({m.name(), m.problem_text(), std::int64_t(r.ranks), 1e6 * r.measured,
                          predicted ? Cell(1e6 * r.kernel) : Cell(),
                          predicted ? Cell(1e6 * r.messages) : Cell(),
                          predicted ? Cell(1e6 * r.predicted) : Cell(), predicted ? Cell(r.error()) : Cell(),
                          share_of(r.weak), share_of(r.strong), r.missing});
    fmt::print("  {:<28} {:>6} {:>11.3f} ", m.name(), r.ranks, 1e6 * r.measured);
    if (predicted)
      fmt::print("{:>11.3f} {:>11.3f} {:>11.3f} {:>8.1f}% ", 1e6 * r.kernel, 1e6 * r.messages,
                 1e6 * r.predicted, 100 * r.error());
    else
      fmt::print("{:<45} ", "no prediction without " + r.missing);
    fmt::print("{:>9} {:>9}  {}\n", percent(r.weak), percent(r.strong), m.problem_text());
  }
  return sheet;
}

Sheet print_extrapolated(const analysis::Scaling& s) {
  Sheet sheet{"extrapolated",
              {"variant", "problem", "device", "scaling", "ranks", "kernel us", "messages us", "step us",
               "efficiency", "beyond_measured"},
              {}};
  if (s.extrapolated.empty()) return sheet;
  fmt::print(
      "\nEXTRAPOLATED by the model, not measured (*: from parts or messages of sizes beyond those measured)\n"
      "  {:<28} {:<7} {:>6} {:>11} {:>11} {:>11} {:>10}\n",
      "variant", "", "ranks", "kernels", "messages", "us a step", "efficiency");
  for (const analysis::Extrapolated& e : s.extrapolated) {
    const char* const scaling = e.strong ? "strong" : "weak";
    sheet.rows.push_back({e.name, e.problem, e.device, std::string(scaling), std::int64_t(e.ranks),
                          1e6 * e.kernel, 1e6 * e.messages, 1e6 * e.seconds, e.efficiency, e.beyond});
    fmt::print("  {:<28} {:<7} {:>6} {:>11.3f} {:>11.3f} {:>11.3f} {:>10}{} {} {}\n", e.name, scaling,
               e.ranks, 1e6 * e.kernel, 1e6 * e.messages, 1e6 * e.seconds, percent(e.efficiency),
               e.beyond ? "*" : " ", e.problem, e.strong ? "in all" : "a rank");
  }
  return sheet;
}

Sheet print_predictions(const analysis::Scaling& s) {
  Sheet sheet{
      "published_machines",
      {"machine", "variant", "problem", "one_gpu us", "node us", "many_nodes us", "efficiency", "source"},
      {}};
  if (s.predictions.empty()) return sheet;
  fmt::print(
      "\nPREDICTED for machines that were not measured, from published figures: the least, us a step\n"
      "  {:<20} {:<28} {:>11} {:>11} {:>11} {:>10}\n",
      "machine", "variant", "one GPU", "a node", "many nodes", "efficiency");
  for (const analysis::MachinePrediction& p : s.predictions) {
    sheet.rows.push_back({std::string(p.machine->name), p.name, p.problem, 1e6 * p.one, 1e6 * p.node,
                          1e6 * p.many, p.one / p.many, std::string(p.machine->source)});
    fmt::print("  {:<20} {:<28} {:>11.3f} {:>11.3f} {:>11.3f} {:>10}  {} a GPU\n", p.machine->name, p.name,
               1e6 * p.one, 1e6 * p.node, 1e6 * p.many, percent(p.one / p.many), p.problem);
  }
  for (const analysis::PublishedMachine& m : analysis::published_machines())
    fmt::print("  {}: {}\n", m.name, m.source);
  return sheet;
}

int run(const Options& o) {
  SheetFiles files(o.sheets, o.records);
  const harness::Records records = harness::read_records(o.records);
  const analysis::Scaling s = analysis::scaling_of(records.measurements, o.ranks, o.ranks_per_node);
  std::vector<Sheet> sheets = {print_rows(s), print_extrapolated(s), print_predictions(s)};
  fmt::print("\nassumptions\n");
  sheets.push_back({"assumptions", {"assumption"}, {}});
  for (const std::string& a : s.assumptions) {
    fmt::print("  - {}\n", a);
    sheets.back().rows.push_back({a});
  }
  files.write(sheets);
  return runtime::exit_ok;
}

}  // namespace

Action add_scaling(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("scaling",
                                   "Weak and strong scaling of records of several ranks: a model from "
                                   "messages and kernels that were measured "
                                   "by themselves, beside what was measured, and what it says of more ranks");
  c->add_option("records", o->records, "Files of records, or folders of results, read together")->required();
  c->add_option("--ranks", o->ranks, "Up to which number of ranks to extrapolate")
      ->transform(whole_from(1, 1 << 20))
      ->capture_default_str();
  c->add_option("--ranks-per-node", o->ranks_per_node, "Ranks of a node beyond those that were measured")
      ->transform(whole_from(1, 1 << 20))
      ->capture_default_str();
  o->sheets.add_to(*c);
  return [o] { return run(*o); };
}

}  // namespace parity::commands
