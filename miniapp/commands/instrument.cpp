// SPDX-License-Identifier: BSD-3-Clause
// parity instrument: each quantity of the launch study beside what instruments that do not share its clock
// make of the same calls, with the difference and how large it may be.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "commands/commands.hpp"
#include "commands/numbers.hpp"
#include "commands/remarks.hpp"
#include "harness/selection.hpp"
#include "launch/study.hpp"
#include "launch/trial.hpp"
#include "runtime/error.hpp"

namespace parity::commands {
namespace {

using launch::Agreement;
using launch::Finding;

struct Options {
  std::vector<std::string> variants{"*"}, quantities;
  launch::Problem problem;
};

/// What a line says, in the order in which they are counted.
constexpr const char* words[] = {"agrees",
                                 "agrees (at least)",
                                 "too coarse to tell",
                                 "too noisy to tell",
                                 "not measurable: R2 and R3 differ outside of their events",
                                 "DIFFERS"};

int verdict(const Agreement& a) {
  switch (a.finding) {
    case Finding::agrees:
      return a.at_least ? 1 : 0;
    case Finding::coarse:
      return 2;
    case Finding::unclear:
      return a.uneven ? 4 : 3;
    case Finding::differs:
      break;
  }
  return 5;
}

void print(const std::string& row, const Agreement& a) {
  fmt::print("  {:<42} {:<18} ", row, a.instrument);
  if (!a.wrong.empty()) {
    fmt::print("{}: {}\n", a.wrong, words[verdict(a)]);
    return;
  }
  fmt::print("{:>10.3f} {:>10.3f} {:>10.3f} {:>24} {:>8.3f}  {}\n", 1e6 * a.quantity.median,
             1e6 * a.expected.median, 1e6 * a.difference.median,
             fmt::format("[{:.3f}, {:.3f}]", 1e6 * a.difference.low, 1e6 * a.difference.high), 1e6 * a.bound,
             words[verdict(a)]);
}

int run(const Options& o) {
  const auto bench = launch::make_bench();
  const auto choices = harness::select(launch::study(), o.variants);
  fmt::print(
      "launch quantities beside other instruments: us, medians of 9 to 63 samples of few events (the tracer "
      "slows its\nsamples down, and the quantity beside it is of these); difference with its 95 % interval, "
      "and its bound\n");
  if (!bench->tracer) fmt::print("{}\n", bench->no_tracer);
  fmt::print("  {:<42} {:<18} {:>10} {:>10} {:>10} {:>24} {:>8}\n", "quantity of a variant", "instrument",
             "quantity", "instrument", "difference", "", "bound");
  Skipped skipped;
  int lines = 0, counts[std::size(words)] = {};
  for (const launch::Quantity& q : launch::quantities()) {
    if (!o.quantities.empty() &&
        std::find(o.quantities.begin(), o.quantities.end(), q.name) == o.quantities.end())
      continue;
    launch::Problem p = launch::few_events(q, o.problem);
    p.quantity = q.name;
    p = launch::canonical(p);
    const auto task = launch::study().task_of(p);
    fmt::print("{}: {}\n", q.name, q.method.formula);
    for (const harness::Choice& c : choices) {
      if (!task->meant(c)) continue;
      if (const auto why = task->why_not(c)) {
        skipped.add(c.name(), *why);
        continue;
      }
      try {
        for (const Agreement& a : launch::instruments_on(p, launch::study().entry_of(c), *bench)) {
          print(fmt::format("{} {}", c.name(), q.name), a);
          ++counts[verdict(a)];
          ++lines;
        }
      } catch (const runtime::CannotRunError& error) {
        skipped.add(c.name(), error.what());
      }
      std::fflush(stdout);
    }
  }
  skipped.print();
  if (lines == 0) throw runtime::CannotRunError("none of the variants can run here, for the reasons above");
  fmt::print(
      "{} lines: {} agree, {} more as a lower bound; {} too coarse to tell (a bound above {:.0f} % of the "
      "quantity), {} too noisy, {} not measurable; {} differ\n",
      lines, counts[0], counts[1], counts[2], 100 * launch::coarse_share, counts[3], counts[4], counts[5]);
  return counts[5] > 0 ? runtime::exit_check_failed : runtime::exit_ok;
}

}  // namespace

Action add_instrument(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("instrument",
                                   "Launch quantities beside what instruments with other clocks say of the "
                                   "same calls: the events' own log, "
                                   "CUPTI, a plain loop without a probe (PARITY_CUPTI=0 leaves CUPTI away)");
  std::vector<std::string> names;
  for (const launch::Quantity& q : launch::quantities()) names.push_back(q.name);
  c->add_option("--quantities", o->quantities, "Quantities ('parity list launch' explains them) [all]")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  c->add_option("--variants", o->variants, "Names or globs: " + launch::study().example_variants())
      ->delimiter(',')
      ->capture_default_str();
  add_parameter(c, launch::study(), "launches", o->problem.launches, 2)->capture_default_str();
  add_parameter(c, launch::study(), "blocks", o->problem.blocks)->capture_default_str();
  add_parameter(c, launch::study(), "threads", o->problem.threads)->capture_default_str();
  return [o] { return run(*o); };
}

}  // namespace parity::commands
