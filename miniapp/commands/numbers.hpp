// SPDX-License-Identifier: BSD-3-Clause
// Ranges of options' numbers.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "harness/study.hpp"

namespace parity::commands {

/// For CLI::Option::transform: refuses what is no number at all, in words of the option: "the share to take
/// away, as in 0.9"; the command itself looks at its size.
CLI::Validator number(const std::string& wanted);
/// The same for what is no number from least to most, NaN too, in words that plain_words makes one line of.
/// Whole numbers are decimal (CLI11 takes 010 for 8).
CLI::Validator number_from(double least, double most);
CLI::Validator whole_from(std::int64_t least, std::int64_t most);

/// A study's whole-number parameter as the option of another command: its name, help and range, but for a
/// larger 'least'. Throws std::logic_error where the study has none of that name.
CLI::Option* add_parameter(CLI::App* command, const harness::Study& study, const std::string& name,
                           std::int64_t& value, std::int64_t least = 0);
CLI::Option* add_parameter(CLI::App* command, const harness::Study& study, const std::string& name,
                           int& value, std::int64_t least = 0);

}  // namespace parity::commands
