// SPDX-License-Identifier: BSD-3-Clause
// parity: how close does portable code come to hand-written CUDA, and what do kernel launches really cost?
// Parse the command line, start Kokkos, run one command, return its exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include "commands/commands.hpp"
#include "harness/environment.hpp"
#include "kokkos_compat.hpp"
#include "runtime/error.hpp"
#include "runtime/signals.hpp"
#include "runtime/suggest.hpp"
#include "studies.hpp"

namespace {

using parity::commands::Action;

int usage_error(const std::string& message) {
  fmt::print(stderr, "parity: {}\n", message);
  return parity::runtime::exit_usage;
}

/// One clear line for what CLI11 refused; an unknown command or option is named first, with the nearest.
int explain(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  const CLI::App* scope = &app;
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands({})) {
    known.push_back(sub->get_name());
    if (argc > 1 && sub->get_name() == argv[1]) scope = sub;
  }
  std::string message = e.what();
  for (char& c : message)
    if (c == '\n') c = ' ';
  if (scope == &app && argc > 1 && argv[1][0] != '-')
    message = fmt::format("'{}' is no command{}", argv[1], parity::runtime::did_you_mean(argv[1], known));
  known.clear();
  for (const CLI::Option* option : scope->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (int i = argc - 1; i > 0; --i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.rfind("--", 0) == 0 && std::find(known.begin(), known.end(), word) == known.end())
      message = fmt::format("{} is no option{}", word, parity::runtime::did_you_mean(word, known));
  }
  return usage_error(
      fmt::format("{} ('parity {}--help' explains)", message, scope == &app ? "" : scope->get_name() + " "));
}

int guarded(const Action& action) {
  using namespace parity::runtime;
  try {
    return action();
  } catch (const Interrupted& e) {
    fmt::print(stderr, "parity: stopped by signal {}; finished rows are kept, --resume runs the rest\n",
               e.signal);
    return 128 + e.signal;
  } catch (const Error& e) {
    fmt::print(stderr, "parity: {}\n", e.what());
    return e.code();
  } catch (const std::bad_alloc&) {
    return usage_error("out of memory: reduce the field's size");
  } catch (const std::exception& e) {
    fmt::print(stderr, "parity: {}\n", e.what());
    return exit_cannot_run;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Parity measures how close portable Kokkos code comes to hand-written CUDA and OpenMP, verifies every "
      "result,\n"
      "measures what launches, graphs and barriers cost, filters your own fields and estimates densities of "
      "your own samples.\n\n"
      "Start with 'parity list' and 'parity diffusion --nx 128 --ny 128 --nz 64 --steps 1024'.\n"
      "Exit codes: 0 fine; 1 a check failed; 2 wrong usage or input; 3 cannot run here."};
  app.set_version_flag("--version", [] { return parity::harness::version_text(); });
  app.require_subcommand(1);
  Action action;
  const auto add_action = [&](const Action& run) {
    app.get_subcommands([](const CLI::App*) { return true; }).back()->callback([&action, run] {
      action = run;
    });
  };
  const auto add = [&](Action (*add_command)(CLI::App&)) { add_action(add_command(app)); };
  add(parity::commands::add_list);
  for (const parity::harness::Study* study : parity::studies())
    add_action(parity::commands::add_study(app, *study));
  add(parity::commands::add_density);
  add(parity::commands::add_measure);
  add(parity::commands::add_filter);
  add(parity::commands::add_merge);
  add(parity::commands::add_compare);
  add(parity::commands::add_merit);
  add(parity::commands::add_findings);
  add(parity::commands::add_explain);
  add(parity::commands::add_export);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    return explain(app, e, argc, argv);
  }
  parity::runtime::catch_signals();
  return guarded([&action] {
    const parity::compat::KokkosScope kokkos;
    return action();
  });
}
