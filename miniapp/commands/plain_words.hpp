// SPDX-License-Identifier: BSD-3-Clause
// CLI11's sentences in words for a user.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace parity::commands {

/// One clear line for what CLI11 refused; an unknown command or option is named first, with the nearest.
/// words: the command line; command: the one among them that names a command, or empty.
std::string explained(const CLI::App& app, const CLI::ParseError& error, const std::string& command,
                      std::vector<std::string> words);

}  // namespace parity::commands
