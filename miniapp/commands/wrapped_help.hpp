// SPDX-License-Identifier: BSD-3-Clause
// Help in lines that the terminal holds.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace parity::commands {

/// Breaks lines of 'text' that are wider than 'width' at blanks, or behind commas within a word. What follows
/// stands under the description that it continues, which begins at column 'column', or nearer to the edge in
/// a terminal of less than twice that.
std::string wrapped(const std::string& text, std::size_t width, std::size_t column);

/// Columns of the terminal that standard output is, else of $COLUMNS, else 100.
std::size_t help_width();

class WrappedHelp : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace parity::commands
