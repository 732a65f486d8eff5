// SPDX-License-Identifier: BSD-3-Clause
// Rows of a CSV file (RFC 4180): quoted cells with doubled quotes inside, LF or CRLF, a byte-order mark, and
// besides comments, blank lines and other separators than the comma.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace parity::io {

/// Reads one row after the other. The first decides the separator (the first that occurs in it outside of
/// quotes of comma, semicolon and tab; else spaces) and how many cells every row has.
class CsvReader {
 public:
  /// text: the whole file, kept by the caller; name: the file's, for messages.
  CsvReader(std::string name, std::string_view text);
  /// Goes to the next row, past blank lines and lines that begin with #. False at the end. Throws
  /// runtime::UsageError with the file and the line for another number of cells and for broken quotes.
  bool next();
  /// Unquoted cells without the spaces around them.
  const std::vector<std::string>& cells() const { return cells_; }
  int line() const { return line_; }  ///< where the row begins, from 1

 private:
  bool at_line_end() const;
  void skip_line_end();
  bool skip_to_row();
  char find_separator() const;
  std::string read_cell();
  std::string read_quoted();

  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0, width_ = 0;
  int line_ = 0, next_line_ = 1;
  char separator_ = 0;
  std::vector<std::string> cells_;
};

}  // namespace parity::io
