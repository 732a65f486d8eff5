// SPDX-License-Identifier: BSD-3-Clause
// parity help and parity version: the same as --help and --version, for those who type words.
#include <fmt/format.h>

#include <memory>

#include "commands/commands.hpp"
#include "harness/environment.hpp"
#include "runtime/error.hpp"
#include "runtime/suggest.hpp"
#include "runtime/text.hpp"

namespace parity::commands {

Action add_help(CLI::App& app) {
  auto command = std::make_shared<std::string>();
  app.add_subcommand("help", "What a command does and which options it has")
      ->add_option("command", *command, "The command; without it, all of them");
  return [command, &app] {
    if (command->empty()) {
      // app.help() would be that of the command at hand, which is this one.
      fmt::print("{}", app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
      return int(runtime::exit_ok);
    }
    std::vector<std::string> known;
    for (const CLI::App* sub : app.get_subcommands({})) {
      known.push_back(sub->get_name());
      if (sub->get_name() != *command) continue;
      fmt::print("{}", sub->help("parity"));
      return int(runtime::exit_ok);
    }
    throw runtime::UsageError(fmt::format("'{}' is no command{} ('parity help' lists them)",
                                          runtime::shown(*command), runtime::did_you_mean(*command, known)));
  };
}

Action add_version(CLI::App& app) {
  app.add_subcommand("version", "Version, commit, compilers, Kokkos and CUDA of this build");
  return [] {
    fmt::print("{}", harness::version_text());
    return int(runtime::exit_ok);
  };
}

}  // namespace parity::commands
