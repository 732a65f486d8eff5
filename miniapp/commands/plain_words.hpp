// SPDX-License-Identifier: BSD-3-Clause
// CLI11's sentences in words for a user.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace parity::commands {

/// message: CLI11's; words: those of the command line; command: the one they were given to.
std::string in_plain_words(const std::string& message, const std::vector<std::string>& words,
                           const CLI::App& command);

}  // namespace parity::commands
