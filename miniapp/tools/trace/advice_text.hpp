// SPDX-License-Identifier: BSD-3-Clause
// Formats times and names for advice and comparisons of traces.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tools/trace/trace.hpp"

namespace parity::commands {

using Process = std::pair<analysis::Trace, std::vector<analysis::StepAdvice>>;
using Advised = std::vector<Process>;

constexpr std::size_t most_shown = 12, width = 100;  ///< names in a list, columns of the text

std::string time_text(double seconds);
std::string interval_text(const analysis::Figure& f);
std::string fit(const std::string& text, std::size_t most);
/// A kernel's demangled name without template arguments, parameters and return type.
std::string short_name(std::string name);
std::string device_of(const analysis::Trace& t);
/// The program's name (or command line), or the trace's file if the name is unknown.
std::string program_of(const analysis::Trace& t, bool command_line);
std::string source_of(const analysis::StepAdvice& a);
const Process& busiest_of(const Advised& all);

/// Prints the savings of a change of a program; matches steps by their kernels.
void print_comparison(const Advised& before, const Advised& after, bool command_line);

}  // namespace parity::commands
