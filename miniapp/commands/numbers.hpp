// SPDX-License-Identifier: BSD-3-Clause
// Ranges of options' numbers.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>

namespace parity::commands {

/// For CLI::Option::transform: refuses what is no number from least to most, NaN too, in words that
/// plain_words makes one line of. Whole numbers are decimal (CLI11 takes 010 for 8).
CLI::Validator number_from(double least, double most);
CLI::Validator whole_from(std::int64_t least, std::int64_t most);

}  // namespace parity::commands
