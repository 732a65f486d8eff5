// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a text consists of a sign, digits, at most one of the marks, digits and an exponent.
bool is_number_with(std::string_view text, char mark, bool& marked) {
  std::size_t i = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > begin;
  };
  if (!digits()) return false;
  marked = i < text.size() && text[i] == mark;
  if (marked && (++i, !digits())) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

}  // namespace

CsvReader::CsvReader(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.substr(0, 3) == byte_order_mark) text_.remove_prefix(3);
  if (text_.substr(0, 2) == "\xff\xfe" || text_.substr(0, 2) == "\xfe\xff")
    throw UsageError(fmt::format("{}: is UTF-16 or UTF-32 text; save it as UTF-8", name_));
  // What Excel writes and reads as a first line.
  if (text_.substr(0, 4) == "sep=" && text_.size() > 4 && std::string_view(",;\t").find(text_[4]) < 3) {
    at_ = 5;
    if (!at_line_end())
      at_ = 0;
    else {
      separator_ = text_[4];
      skip_line_end();
    }
  }
}

bool CsvReader::at_line_end() const {
  return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
}

void CsvReader::skip_line_end() {
  if (at_ < text_.size() && text_[at_] == '\r' && text_.substr(at_ + 1, 1) == "\n") ++at_;
  if (at_ < text_.size()) ++at_;
  ++next_line_;
}

/// To the first line that is neither blank nor a comment.
bool CsvReader::skip_to_row() {
  while (at_ < text_.size()) {
    const std::size_t begin = at_;
    const bool comment = text_[at_] == '#';
    while (!at_line_end() && (comment || is_space(text_[at_]))) ++at_;
    if (!at_line_end()) {
      at_ = begin;
      return true;
    }
    skip_line_end();
  }
  return false;
}

char CsvReader::find_separator() const {
  bool quoted = false, semicolon = false, tab = false;
  for (std::size_t i = at_; i < text_.size() && (quoted || (text_[i] != '\n' && text_[i] != '\r')); ++i) {
    const char c = text_[i];
    const bool cell_begins = i == at_ || is_space(text_[i - 1]) || text_[i - 1] == ';';
    if (c == '"' && (quoted || cell_begins)) {
      if (quoted && text_.substr(i + 1, 1) == "\"")
        ++i;  // a doubled one
      else
        quoted = !quoted;
    } else if (!quoted) {
      if (c == ',') return ',';
      semicolon = semicolon || c == ';';
      tab = tab || c == '\t';
    }
  }
  return semicolon ? ';' : tab ? '\t' : ' ';
}

bool CsvReader::next() {
  if (!skip_to_row()) return false;
  const bool first = line_ == 0;
  line_ = next_line_;
  if (first && separator_ == 0) {
    separator_ = find_separator();
    if (separator_ == ',') refuse_decimal_commas();
  }
  // Cells are kept from row to row: their memory is used again.
  std::size_t count = 0;
  const auto next_cell = [&] {
    if (count == most_columns)
      throw UsageError(fmt::format("{}: line {} has more than {} columns; write one sample a line", name_,
                                   line_, most_columns));
    if (count == cells_.size()) cells_.emplace_back();
    read_cell(cells_[count++]);
  };
  next_cell();
  while (!at_line_end()) {
    if (separator_ != ' ') ++at_;  // a run of spaces went with the cell before it
    next_cell();
  }
  cells_.resize(count);
  skip_line_end();
  if (first) width_ = cells_.size();
  if (cells_.size() != width_)
    throw UsageError(fmt::format("{}: line {} has {} columns where the first has {}", name_, line_,
                                 cells_.size(), width_));
  return true;
}

/// A first row of numbers with decimal commas, separated by something else, is no row of comma-separated
/// cells.
void CsvReader::refuse_decimal_commas() const {
  std::string_view row = text_.substr(at_);
  row = row.substr(0, row.find_first_of("\r\n"));
  std::string_view example;
  int cells = 0;
  while (!row.empty()) {
    const std::size_t end = std::min(row.find_first_of("; \t"), row.size());
    const std::string_view cell = row.substr(0, end);
    row.remove_prefix(std::min(end + 1, row.size()));
    if (cell.empty()) continue;
    ++cells;
    bool comma = false;
    if (!is_number_with(cell, ',', comma)) return;
    if (comma) example = cell;
  }
  if (cells < 2 || example.empty()) return;
  throw UsageError(fmt::format("{}: line {}: '{}' has a decimal comma; write decimal points", name_, line_,
                               runtime::shown(example)));
}

/// Ends at a separator or at the line's end.
void CsvReader::read_cell(std::string& cell) {
  const auto skip_spaces = [this] {
    while (!at_line_end() && is_space(text_[at_]) && text_[at_] != separator_) ++at_;
    if (separator_ == ' ')
      while (!at_line_end() && is_space(text_[at_])) ++at_;
  };
  skip_spaces();
  if (at_ < text_.size() && text_[at_] == '"') {
    read_quoted(cell);
    const std::size_t after = at_;
    skip_spaces();
    if (!at_line_end() && text_[at_] != separator_ && (separator_ != ' ' || at_ == after))
      throw UsageError(fmt::format(
          "{}: line {}: text after a closing quote; inside of a cell double its quotes", name_, line_));
    return;
  }
  const std::size_t begin = at_;
  while (!at_line_end() && text_[at_] != separator_ && !(separator_ == ' ' && is_space(text_[at_]))) ++at_;
  std::size_t end = at_;
  while (end > begin && is_space(text_[end - 1])) --end;
  skip_spaces();
  cell.assign(text_.data() + begin, end - begin);
}

/// From the opening quote past the closing one; lines may end inside.
void CsvReader::read_quoted(std::string& cell) {
  cell.clear();
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n' || (c == '\r' && text_.substr(at_ + 1, 1) != "\n")) ++next_line_;
    if (c == '"') {
      ++at_;
      if (at_ == text_.size() || text_[at_] != '"') return;
    }
    cell += c;
  }
  throw UsageError(fmt::format("{}: line {}: a quote is never closed", name_, line_));
}

bool has_decimal_comma(std::string_view text) {
  bool comma = false;
  return is_number_with(text, ',', comma) && comma;
}

}  // namespace parity::io
