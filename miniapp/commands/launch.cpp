// SPDX-License-Identifier: BSD-3-Clause
// parity launch: what launches, graphs and barriers cost here, portable against native.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "commands/comparison.hpp"
#include "commands/launch_table.hpp"
#include "launch/axes.hpp"
#include "launch/measure.hpp"
#include "study/error.hpp"
#include "study/progress.hpp"

namespace parity::commands {
namespace {

struct Options {
  launch::Axes axes;
  std::vector<std::string> variants{"*"}, units{"spin"}, topologies{"line"};
  study::RunOptions run;
  std::string json, csv;
  bool quiet = false;
};

std::vector<launch::Problem> problems_of(const Options& o) {
  launch::Axes axes = o.axes;
  for (const std::string& topology : o.topologies) axes.topologies.push_back(launch::topology_of(topology));
  for (const std::string& unit : o.units) axes.unit.push_back(launch::unit_of(unit));
  const auto problems = launch::product(axes);
  for (const launch::Problem& p : problems) launch::validate(p);
  return launch::distinct(problems);
}

int run(const Options& o) {
  const auto selected = launch::select(launch::registry(), o.variants);
  const auto problems = problems_of(o);
  OutputFiles files(o.json, o.csv);
  study::Progress progress(int(problems.size()), o.quiet);
  std::vector<study::Row> all;
  bool failed = false;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const launch::Problem& p = problems[k];
    const auto those = launch::those_for(selected, p);
    const study::Measured m = launch::measure(
        p, those, o.run, [&](const std::string& what) { progress.update(int(k), p.quantity + " " + what); });
    progress.clear();
    print_launch_table(p, m);
    for (const study::Row& r : m.rows) {
      failed = failed || !r.verdict.passed();
      all.push_back(r);
    }
  }
  if (all.empty())
    throw study::CannotRunError("none of the variants has these figures here; 'parity list' says why");
  files.write(all, [&] { return launch_csv(all); });
  return failed ? study::exit_check_failed : study::exit_ok;
}

}  // namespace

Action add_launch(CLI::App& app) {
  auto o = std::make_shared<Options>();
  o->run.repeats = 100;
  o->run.time_cap = 20;
  const launch::Problem standard;
  launch::Axes& axes = o->axes;
  axes.blocks = {standard.blocks};
  axes.threads = {standard.threads};
  axes.argument_bytes = {standard.argument_bytes};
  axes.launches = {standard.launches};
  axes.units = {standard.units};
  axes.unit_ns = {standard.unit_ns};
  axes.devices = {standard.devices};
  axes.bytes = {standard.bytes};
  axes.quantities = {"null-overhead", "fusion-overhead", "total-overhead", "other-overhead",
                     "dispatch",      "latency",         "node",           "barrier"};
  CLI::App* c = app.add_subcommand("launch",
                                   "What one more launch, graph node or barrier costs here: the study's "
                                   "equations 1 to 3 and more, portable "
                                   "against native, each figure checked with an injected delay");
  const auto list = [c](const char* name, auto& values, const char* text) {
    return c->add_option(name, values, text)->delimiter(',')->capture_default_str();
  };
  list("--quantities", axes.quantities, "Figures to measure ('parity list' explains them)");
  list("--variants", o->variants, "Names or globs: 'cuda-*' kokkos-range");
  list("--blocks", axes.blocks, "Blocks of every launch");
  list("--threads", axes.threads,
       "Threads of a block; on the host blocks x threads is the range, for barriers the team");
  list("--argument-bytes", axes.argument_bytes, "Bytes of kernel arguments or of the functor");
  list("--launches", axes.launches, "Launches, nodes or passes of the longer run: the depth of the queue");
  list("--devices", axes.devices, "GPUs of a multi-device launch");
  list("--topology", o->topologies, "Graphs: line, or fork (to four nodes that join again)");
  list("--unit", o->units, "Wait units: spin, or nanosleep (the study's; compute capability 7.0)");
  c->add_option("--units", axes.units.front(), "Wait units of an event, where the figure has work")
      ->capture_default_str();
  c->add_option("--unit-ns", axes.unit_ns.front(), "Nanoseconds of a unit")->capture_default_str();
  list("--bytes", axes.bytes, "Bytes that an event of the figure 'copy' reads, and writes");
  c->add_option("--repeats", o->run.repeats, "Experiments of each variant at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  c->add_option("--time-cap", o->run.time_cap, "Seconds after which no new round of experiments starts")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  c->add_option("--json", o->json, "Write the records (JSON lines) to this file");
  c->add_option("--csv", o->csv, "Write the table to this file");
  c->add_flag("--quiet", o->quiet, "No progress line");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
