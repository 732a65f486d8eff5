// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/csv.hpp"

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

/// True if a text is a sign, digits, at most one 'mark', digits and an exponent.
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

/// True if is() accepts any run of spaces and tabs in a row. is() receives the character before it (0 at the
/// row's beginning), whether it contains a tab, and the character after it.
template <class Is>
bool any_gap(std::string_view row, const Is& is) {
  char before = 0;
  bool gap = false, tab = false;
  for (const char c : row) {
    if (is_space(c)) {
      gap = true;
      tab = tab || c == '\t';
      continue;
    }
    if (gap && is(before, tab, c)) return true;
    before = c;
    gap = tab = false;
  }
  return gap && is(before, tab, 0);
}

}  // namespace

bool is_error_value(std::string_view text) {
  if (text.empty() || text[0] != '#') return false;
  text = text.substr(1, std::min(text.find_first_of(",; \t\r\n"), text.size()) - 1);
  for (const std::string_view known : {"N/A", "n/a", "NA", "NV"})
    if (text == known) return true;
  // In any language: capital letters followed by ! or ?.
  if (text.size() < 2 || (text.back() != '!' && text.back() != '?')) return false;
  text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '/' || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

CsvReader::CsvReader(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.substr(0, 3) == byte_order_mark) text_.remove_prefix(3);
  if (text_.substr(0, 2) == "\xff\xfe" || text_.substr(0, 2) == "\xfe\xff")
    throw UsageError(fmt::format("{}: is UTF-16 or UTF-32 text; save it as UTF-8", name_));
  // Excel writes and reads this as a first line.
  if (runtime::lowered(std::string(text_.substr(0, 4))) == "sep=" && text_.size() > 4 &&
      std::string_view(",;\t ").find(text_[4]) < 4) {
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

/// Moves to the first line that is neither blank nor a comment.
bool CsvReader::skip_to_row() {
  while (at_ < text_.size()) {
    const std::size_t begin = at_;
    const bool comment = text_[at_] == '#' && !is_error_value(text_.substr(at_));
    const auto is_blank = [this](char c) { return c == ' ' || (c == '\t' && separator_ != '\t'); };
    while (!at_line_end() && (comment || is_blank(text_[at_]))) ++at_;
    if (!at_line_end()) {
      at_ = begin;
      return true;
    }
    skip_line_end();
  }
  return false;
}

/// The current row, with each quoted cell replaced by a quote.
std::string CsvReader::row_without_quoted() const {
  std::string row;
  bool quoted = false;
  for (std::size_t i = at_; i < text_.size() && (quoted || (text_[i] != '\n' && text_[i] != '\r')); ++i) {
    const char c = text_[i];
    const bool cell_begins = i == at_ || is_space(text_[i - 1]) || text_[i - 1] == ',' || text_[i - 1] == ';';
    if (c == '"' && (quoted || cell_begins)) {
      if (quoted && text_.substr(i + 1, 1) == "\"") {
        ++i;  // a doubled quote
        continue;
      }
      quoted = !quoted;
      if (quoted) row += c;
    } else if (!quoted) {
      row += c;
    }
  }
  return row;
}

/// The separator of the first row. Throws if two characters qualify.
char CsvReader::find_separator() const {
  const std::string row = row_without_quoted();
  const auto is_mark = [](char c) { return c == ',' || c == ';'; };
  std::string found;
  for (const char c : {',', ';'})
    if (row.find(c) != std::string::npos) found += c;
  // A tab next to a comma or semicolon is a space around a cell.
  if (any_gap(row,
              [&](char before, bool tab, char after) { return tab && !is_mark(before) && !is_mark(after); }))
    found += '\t';
  // Words may contain spaces, numbers do not.
  if (found == "\t" && row.find_first_not_of("0123456789+-.eE \t") == std::string::npos &&
      any_gap(row, [](char before, bool tab, char after) { return !tab && before && after; }))
    found += ' ';
  refuse_decimal_commas(row, false);
  if (found.size() < 2) return found.empty() ? ' ' : found[0];
  const auto many = [](char c) {
    return c == ',' ? "commas" : c == ';' ? "semicolons" : c == '\t' ? "tabs" : "spaces";
  };
  const auto one = [](char c) { return is_space(c) ? c == ' ' ? "<space>" : "<tab>" : c == ',' ? "," : ";"; };
  throw UsageError(fmt::format(
      "{}: line {}: holds {} and {}; add a first line 'sep={}' or 'sep={}' that says which separate", name_,
      line_, many(found[0]), many(found[1]), one(found[0]), one(found[1])));
}

bool CsvReader::next() {
  if (!skip_to_row()) return false;
  const bool first = line_ == 0;
  line_ = next_line_;
  if (first && separator_ == 0) {
    separator_ = find_separator();
    // A comma in a header's name looks like two cells.
    check_second_ = separator_ == ',';
  } else if (check_second_) {
    check_second_ = false;
    refuse_decimal_commas(row_without_quoted(), true);
  }
  // Cells are reused from row to row, to save allocations.
  std::size_t count = 0;
  const auto next_cell = [&] {
    if (count == most_columns)
      throw UsageError(fmt::format("{}: line {} has more than {} columns; write one sample a line", name_,
                                   line_, most_columns));
    if (count == cells_.size()) {
      cells_.emplace_back();
      quoted_.emplace_back();
    }
    quoted_[count] = read_cell(cells_[count]);
    ++count;
  };
  next_cell();
  while (!at_line_end()) {
    if (separator_ != ' ') ++at_;  // read_cell has skipped the run of spaces
    next_cell();
  }
  cells_.resize(count);
  quoted_.resize(count);
  skip_line_end();
  if (first) width_ = cells_.size();
  if (cells_.size() != width_)
    throw UsageError(fmt::format("{}: line {} has {} columns where the first has {}{}", name_, line_,
                                 cells_.size(), width_, separator_ == ' ' ? " (blanks separate them)" : ""));
  return true;
}

/// Throws for a row of several cells if all its commas are in numbers, like decimal points. numbers_only:
/// only if all its cells are numbers.
void CsvReader::refuse_decimal_commas(std::string_view row, bool numbers_only) const {
  std::string_view example;
  int cells = 0;
  while (!row.empty()) {
    const std::size_t end = std::min(row.find_first_of("; \t"), row.size());
    const std::string_view cell = row.substr(0, end);
    row.remove_prefix(std::min(end + 1, row.size()));
    if (cell.empty()) continue;
    ++cells;
    bool comma = false;
    if (is_number_with(cell, ',', comma)) {
      if (comma) example = cell;
    } else if (numbers_only || cell.find(',') != std::string_view::npos) {
      return;
    }
  }
  if (cells < 2 || example.empty()) return;
  throw UsageError(fmt::format(
      "{}: line {}: '{}' has a decimal comma; write decimal points, or add a first line 'sep=,' if "
      "commas separate",
      name_, line_, runtime::shown(example)));
}

/// Reads up to a separator or the line's end. Returns true for a quoted cell.
bool CsvReader::read_cell(std::string& cell) {
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
    return true;
  }
  const std::size_t begin = at_;
  while (!at_line_end() && text_[at_] != separator_ && !(separator_ == ' ' && is_space(text_[at_]))) ++at_;
  std::size_t end = at_;
  while (end > begin && is_space(text_[end - 1])) --end;
  skip_spaces();
  cell.assign(text_.data() + begin, end - begin);
  return false;
}

/// Reads from the opening quote past the closing one; the cell may contain line ends.
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
