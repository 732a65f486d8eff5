// SPDX-License-Identifier: BSD-3-Clause
// parity launch: what launches, graphs and barriers cost here, portable against native.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "commands/comparison.hpp"
#include "commands/launch_table.hpp"
#include "launch/measure.hpp"
#include "study/error.hpp"
#include "study/progress.hpp"

namespace parity::commands {
namespace {

struct Options {
  std::vector<std::string> quantities, variants{"*"}, units{"spin"}, topologies{"line"};
  std::vector<int> blocks{1}, threads{128}, argument_bytes{0}, launches{100}, devices{1};
  std::vector<std::int64_t> bytes{1 << 20};
  int unit_count = 5, unit_ns = 5000;
  study::RunOptions run;
  std::string json, csv;
  bool quiet = false;
};

/// The product of the lists.
std::vector<launch::Problem> problems_of(const Options& o) {
  std::vector<launch::Problem> problems;
  for (const std::string& quantity : o.quantities)
    for (const std::string& topology : o.topologies)
      for (const std::string& unit : o.units)
        for (const int devices : o.devices)
          for (const int argument : o.argument_bytes)
            for (const int blocks : o.blocks)
              for (const int threads : o.threads)
                for (const int launches : o.launches)
                  for (const std::int64_t bytes : o.bytes) {
                    const launch::Problem asked = {quantity,
                                                   blocks,
                                                   threads,
                                                   argument,
                                                   launches,
                                                   o.unit_count,
                                                   o.unit_ns,
                                                   launch::unit_of(unit),
                                                   launch::topology_of(topology),
                                                   devices,
                                                   bytes};
                    launch::validate(asked);
                    const launch::Problem p = launch::canonical(asked);
                    if (std::find(problems.begin(), problems.end(), p) == problems.end())
                      problems.push_back(p);
                  }
  return problems;
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
  o->quantities = {"null-overhead", "fusion-overhead", "total-overhead", "other-overhead",
                   "dispatch",      "latency",         "node",           "barrier"};
  CLI::App* c = app.add_subcommand("launch",
                                   "What one more launch, graph node or barrier costs here: the study's "
                                   "equations 1 to 3 and more, portable "
                                   "against native, each figure checked with an injected delay");
  const auto list = [c](const char* name, auto& values, const char* text) {
    return c->add_option(name, values, text)->delimiter(',')->capture_default_str();
  };
  list("--quantities", o->quantities, "Figures to measure ('parity list' explains them)");
  list("--variants", o->variants, "Names or globs: 'cuda-*' kokkos-range");
  list("--blocks", o->blocks, "Blocks of every launch");
  list("--threads", o->threads,
       "Threads of a block; on the host blocks x threads is the range, for barriers the team");
  list("--argument-bytes", o->argument_bytes, "Bytes of kernel arguments or of the functor");
  list("--launches", o->launches, "Launches, nodes or passes of the longer run: the depth of the queue");
  list("--devices", o->devices, "GPUs of a multi-device launch");
  list("--topology", o->topologies, "Graphs: line, or fork (to four nodes that join again)");
  list("--unit", o->units, "Wait units: spin, or nanosleep (the study's; compute capability 7.0)");
  c->add_option("--units", o->unit_count, "Wait units of an event, where the figure has work")
      ->capture_default_str();
  c->add_option("--unit-ns", o->unit_ns, "Nanoseconds of a unit")->capture_default_str();
  list("--bytes", o->bytes, "Bytes that an event of the figure 'copy' reads, and writes");
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
