// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "runtime/error.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

bool is_space(char c) { return c == ' ' || c == '\t'; }

}  // namespace

CsvReader::CsvReader(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.substr(0, 3) == byte_order_mark) text_.remove_prefix(3);
}

bool CsvReader::at_line_end() const {
  return at_ == text_.size() || text_[at_] == '\n' ||
         (text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
}

void CsvReader::skip_line_end() {
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
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
  for (std::size_t i = at_; i < text_.size() && (quoted || text_[i] != '\n'); ++i) {
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
  const bool first = separator_ == 0;
  if (first) separator_ = find_separator();
  line_ = next_line_;
  cells_.clear();
  cells_.push_back(read_cell());
  while (!at_line_end()) {
    if (separator_ != ' ') ++at_;  // a run of spaces went with the cell before it
    cells_.push_back(read_cell());
  }
  skip_line_end();
  if (first) width_ = cells_.size();
  if (cells_.size() != width_)
    throw UsageError(fmt::format("{}: line {} has {} columns where the first has {}", name_, line_,
                                 cells_.size(), width_));
  return true;
}

/// Ends at a separator or at the line's end.
std::string CsvReader::read_cell() {
  const auto skip_spaces = [this] {
    while (!at_line_end() && is_space(text_[at_]) && text_[at_] != separator_) ++at_;
    if (separator_ == ' ')
      while (!at_line_end() && is_space(text_[at_])) ++at_;
  };
  skip_spaces();
  if (at_ < text_.size() && text_[at_] == '"') {
    std::string cell = read_quoted();
    const std::size_t after = at_;
    skip_spaces();
    if (!at_line_end() && text_[at_] != separator_ && (separator_ != ' ' || at_ == after))
      throw UsageError(fmt::format(
          "{}: line {}: text after a closing quote; inside of a cell double its quotes", name_, line_));
    return cell;
  }
  const std::size_t begin = at_;
  while (!at_line_end() && text_[at_] != separator_ && !(separator_ == ' ' && is_space(text_[at_]))) ++at_;
  std::size_t end = at_;
  while (end > begin && is_space(text_[end - 1])) --end;
  skip_spaces();
  return std::string(text_.substr(begin, end - begin));
}

/// From the opening quote past the closing one; lines may end inside.
std::string CsvReader::read_quoted() {
  std::string cell;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n') ++next_line_;
    if (text_[at_] == '"') {
      ++at_;
      if (at_ == text_.size() || text_[at_] != '"') return cell;
    }
    cell += text_[at_];
  }
  throw UsageError(fmt::format("{}: line {}: a quote is never closed", name_, line_));
}

}  // namespace parity::io
