// SPDX-License-Identifier: BSD-3-Clause
// A table for other programs: the same rows as CSV and as JSON, into a file or to standard output.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "io/whole_file.hpp"

namespace parity::commands {

/// Empty where a row has nothing in a column. A list is a list in JSON, and words with spaces between in CSV.
using Cell = std::variant<std::monostate, std::int64_t, double, bool, std::string, std::vector<std::string>>;

struct Sheet {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

/// The options --json and --csv of a command that prints tables.
struct SheetOptions {
  std::string json, csv;
  void add_to(CLI::App& command);
};

/// Opened before the work, so that an unwritable name costs none of it. What goes to standard output ("-")
/// drives the readable table to standard error.
class SheetFiles {
 public:
  /// inputs: what the command reads. Throws runtime::UsageError as require_apart does (commands/places).
  explicit SheetFiles(const SheetOptions& options, const std::vector<std::string>& inputs = {});
  bool wanted() const { return json_ || csv_; }
  /// One table: JSON is a list of objects, CSV has a header line. Several: JSON is an object of such lists,
  /// CSV has a line a cell (table, row, column, value).
  void write(const std::vector<Sheet>& sheets);

 private:
  std::unique_ptr<io::WholeFile> json_, csv_;
};

/// A cell that no spreadsheet splits.
std::string csv_cell(const std::string& text);

}  // namespace parity::commands
