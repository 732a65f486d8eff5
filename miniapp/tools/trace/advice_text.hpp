// SPDX-License-Identifier: BSD-3-Clause
// How advice and comparisons of traces say times and names.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tools/trace/trace.hpp"

namespace parity::commands {

using Process = std::pair<analysis::Trace, std::vector<analysis::StepAdvice>>;
using Advised = std::vector<Process>;

constexpr std::size_t most_shown = 12, width = 100;  ///< names and columns of the text

std::string time_text(double seconds);
std::string interval_text(const analysis::Figure& f);
std::string fit(const std::string& text, std::size_t most);
/// A kernel's name, demangled, without template arguments, parameters and return type.
std::string short_name(std::string name);
std::string device_of(const analysis::Trace& t);
/// The program as the user wants to see it, or the trace's file.
std::string program_of(const analysis::Trace& t, bool command_line);
std::string source_of(const analysis::StepAdvice& a);
const Process& busiest_of(const Advised& all);

/// What a change of a program saved: its steps, matched by their kernels.
void print_comparison(const Advised& before, const Advised& after, bool command_line);

}  // namespace parity::commands
