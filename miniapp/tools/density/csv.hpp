// SPDX-License-Identifier: BSD-3-Clause
// Rows of a CSV file (RFC 4180): quoted cells with doubled quotes inside, LF, CRLF or CR, a byte-order mark,
// and besides comments, blank lines and other separators than the comma.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parity::io {

/// Reads one row after the other. The first decides the separator (the one of comma, semicolon and tab that
/// occurs in it outside of quotes; else spaces; a line "sep=;" before it says it) and how many cells every
/// row has.
class CsvReader {
 public:
  static constexpr std::size_t most_columns = 100000;

  /// text: the whole file, kept by the caller; name: the file's, for messages. Throws runtime::UsageError for
  /// UTF-16.
  CsvReader(std::string name, std::string_view text);
  /// Reads some of the rows that 'first', which has read two, would read next.
  CsvReader(const CsvReader& first, std::string_view rows)
      : name_(first.name_), text_(rows), width_(first.width_), line_(1), separator_(first.separator_) {}
  /// Goes to the next row, past blank lines and comments. False at the end. Throws runtime::UsageError with
  /// the file and the line for another number of cells, for broken quotes, for two characters in the first
  /// row of which either may separate, and for numbers with decimal commas in the first two, which would
  /// make two cells of each.
  bool next();
  /// Unquoted cells without the spaces around them.
  const std::vector<std::string>& cells() const { return cells_; }
  bool quoted(std::size_t cell) const { return quoted_[cell]; }
  std::int64_t line() const { return line_; }                  ///< where the row begins, from 1
  std::string_view rest() const { return text_.substr(at_); }  ///< what follows the row

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

/// Whether a text begins with a cell that a spreadsheet could not compute: #N/A, #DIV/0!, #NAME? and the
/// like.
bool is_error_value(std::string_view text);

/// Whether a text is a number with a comma where its point should be, as in -1,5e3.
bool has_decimal_comma(std::string_view text);

}  // namespace parity::io
