// SPDX-License-Identifier: BSD-3-Clause
// Commands of tools that are not in this build; each names the option that builds it.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "runtime/error.hpp"

namespace parity::commands {

[[maybe_unused]] static Action absent(CLI::App& app, const std::string& command, const std::string& tool) {
  app.add_subcommand(command, fmt::format("Not in this build, whose PARITY_TOOLS has no {}", tool))
      ->prefix_command();
  return [command, tool]() -> int {
    throw runtime::CannotRunError(fmt::format(
        "this build has no 'parity {}': configure with -DPARITY_TOOLS={}, or leave PARITY_TOOLS out "
        "for all tools",
        command, tool));
  };
}

#ifndef PARITY_TOOL_FILTER
Action add_filter(CLI::App& app, const harness::Studies&) { return absent(app, "filter", "filter"); }
#endif
#ifndef PARITY_TOOL_DENSITY
Action add_density(CLI::App& app, const harness::Studies&) { return absent(app, "density", "density"); }
#endif
#ifndef PARITY_TOOL_TRACE
Action add_trace(CLI::App& app, const harness::Studies&) { return absent(app, "trace", "trace"); }
Action add_advise(CLI::App& app, const harness::Studies&) { return absent(app, "advise", "trace"); }
void drop_mark(const CLI::App&, std::vector<std::string>&) {}
#endif

}  // namespace parity::commands
