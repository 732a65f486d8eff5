// SPDX-License-Identifier: BSD-3-Clause
// The subcommands. Each adds itself to the command line and returns what main runs when it was chosen.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "harness/study.hpp"

namespace parity::commands {

using Action = std::function<int()>;  ///< returns an exit code

Action add_list(CLI::App& app);
Action add_show(CLI::App& app);
/// parity NAME: one comparison of a study's variants from the command line.
Action add_study(CLI::App& app, const harness::Study& study);
Action add_density(CLI::App& app);
Action add_measure(CLI::App& app);
Action add_filter(CLI::App& app);
Action add_compare(CLI::App& app);
Action add_findings(CLI::App& app);
Action add_explain(CLI::App& app);
Action add_export(CLI::App& app);
/// parity trace PROGRAM ...: becomes the program, which is traced.
Action add_trace(CLI::App& app);
/// parity advise: what other ways of launching would save there.
Action add_advise(CLI::App& app);
Action add_help(CLI::App& app);
Action add_version(CLI::App& app);

}  // namespace parity::commands
