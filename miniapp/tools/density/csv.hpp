// SPDX-License-Identifier: BSD-3-Clause
// Rows of a CSV file (RFC 4180): quoted cells with doubled quotes, LF, CRLF or CR, a byte-order mark; and
// also comments, blank lines and separators other than the comma.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parity::io {

/// Reads the rows one after the other. The first row decides the number of cells and the separator (comma,
/// semicolon or tab, whichever occurs in it outside quotes; else spaces). A line "sep=;" before it sets the
/// separator.
class CsvReader {
 public:
  static constexpr std::size_t most_columns = 100000;

  /// text: the whole file, kept by the caller; name: the file's name, for messages. Throws
  /// runtime::UsageError for UTF-16.
  CsvReader(std::string name, std::string_view text);
  /// Reads a part of the rows after the two that 'first' has read.
  CsvReader(const CsvReader& first, std::string_view rows)
      : name_(first.name_), text_(rows), width_(first.width_), line_(1), separator_(first.separator_) {}
  /// Moves to the next row, past blank lines and comments. Returns false at the end. Throws
  /// runtime::UsageError with file and line for a wrong number of cells, broken quotes, an ambiguous
  /// separator in the first row, and decimal commas in the first two rows, which would split a number into
  /// two cells.
  bool next();
  /// Unquoted cells are stripped of surrounding spaces.
  const std::vector<std::string>& cells() const { return cells_; }
  bool quoted(std::size_t cell) const { return quoted_[cell]; }
  std::int64_t line() const { return line_; }                  ///< line where the row begins, from 1
  std::string_view rest() const { return text_.substr(at_); }  ///< text after the row

 private:
  bool at_line_end() const;
  void skip_line_end();
  bool skip_to_row();
  std::string row_without_quoted() const;
  char find_separator() const;
  void refuse_decimal_commas(std::string_view row, bool numbers_only) const;
  bool read_cell(std::string& cell);
  void read_quoted(std::string& cell);

  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0, width_ = 0;
  std::int64_t line_ = 0, next_line_ = 1;
  char separator_ = 0;
  bool check_second_ = false;
  std::vector<std::string> cells_;
  std::vector<bool> quoted_;  ///< of the cells
};

/// True if a text begins with a spreadsheet's error value: #N/A, #DIV/0!, #NAME? and the like.
bool is_error_value(std::string_view text);

/// True if a text is a number with a decimal comma, as in -1,5e3.
bool has_decimal_comma(std::string_view text);

}  // namespace parity::io
