// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/column_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/input.hpp"
#include "io/npy.hpp"
#include "io/other_formats.hpp"
#include "runtime/error.hpp"
#include "runtime/parallel.hpp"
#include "runtime/text.hpp"
#include "tools/density/csv.hpp"
#include "tools/names.hpp"

namespace parity::io {
namespace {

using runtime::Numbers;
using runtime::shown;
using runtime::UsageError;

/// Reads and converts an array's numbers piece by piece. *bad: index of the first that is not finite, or is
/// an integer that double cannot represent.
template <class T>
void read_numbers(const Input& in, const NpyHeader& header, std::int64_t before, Numbers& values,
                  std::int64_t* bad) {
  constexpr std::int64_t piece = 1 << 17;
  std::atomic<std::int64_t> first_bad{*bad};
  runtime::for_ranges(std::int64_t(values.size()), piece, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin;
    double* const to = values.data() + begin;
    thread_local std::vector<T, runtime::Untouched<T>> buffer;
    T* from = nullptr;
    if constexpr (std::is_same_v<T, double>) {
      from = to;
    } else {
      buffer.resize(std::size_t(piece));
      from = buffer.data();
    }
    in.read(from, std::size_t(n) * sizeof(T),
            header.data_offset + (before + begin) * std::int64_t(sizeof(T)));
    if (header.swapped) std::transform(from, from + n, from, swapped<T>);
    int infinite = 0;
#pragma omp simd reduction(| : infinite)
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = double(from[i]);
      to[i] = value;
      infinite |= !(value - value == 0);
      if constexpr (std::is_integral_v<T>) infinite |= !(std::fabs(value) < 0x1p53);  // 2^53 + 1 becomes 2^53
    }
    if (!infinite) return;
    const std::int64_t place =
        begin + (std::find_if(to, to + n,
                              [](double v) {
                                return !std::isfinite(v) || (std::is_integral_v<T> && std::fabs(v) >= 0x1p53);
                              }) -
                 to);
    for (std::int64_t known = first_bad; place < known && !first_bad.compare_exchange_weak(known, place);) {
    }
  });
  *bad = first_bad;
}

Numbers read_npy(const Input& in, const std::string& what, const Announce& announce, const PartOf& part) {
  std::string start(std::size_t(std::min<std::int64_t>(in.size(), 65536)), '\0');
  in.read(start.data(), start.size(), 0);
  const NpyHeader header = parse_npy_header(in.name(), start, in.size(), true);
  if (header.shape.size() != 1)
    throw UsageError(
        fmt::format("{}: has {} dimensions; {} are one column: save array.ravel() or array[:, k]", in.name(),
                    header.shape.size(), what));
  const std::int64_t n = header.shape.front();
  if (announce) announce(n, 0);
  const runtime::Share wanted = part ? part(n) : runtime::Share{0, n};
  Numbers values(static_cast<std::size_t>(wanted.size));
  std::int64_t bad = wanted.size;
  const auto read = [&](auto four, auto eight) {
    header.item_bytes == 4 ? read_numbers<decltype(four)>(in, header, wanted.first, values, &bad)
                           : read_numbers<decltype(eight)>(in, header, wanted.first, values, &bad);
  };
  const auto read_short = [&](auto one, auto two) {
    header.item_bytes == 1 ? read_numbers<decltype(one)>(in, header, wanted.first, values, &bad)
                           : read_numbers<decltype(two)>(in, header, wanted.first, values, &bad);
  };
  if (header.kind == 'f')
    read(float(), double());
  else if (header.item_bytes >= 4)
    header.kind == 'i' ? read(std::int32_t(), std::int64_t()) : read(std::uint32_t(), std::uint64_t());
  else
    header.kind == 'i' ? read_short(std::int8_t(), std::int16_t())
                       : read_short(std::uint8_t(), std::uint16_t());
  if (bad < wanted.size)
    throw UsageError(fmt::format("{}: value {} of the {} (from 0, as NumPy counts) is {}; remove it first",
                                 in.name(), wanted.first + bad, what,
                                 std::isnan(values[std::size_t(bad)]) ? "NaN"
                                 : std::isinf(values[std::size_t(bad)])
                                     ? "infinite"
                                     : "beyond 2^53, where a double skips numbers"));
  return values;
}

/// Approximate number of rows in a text, estimated from its beginning.
std::int64_t rows_of(const Input& in) {
  std::string start(std::size_t(std::min<std::int64_t>(in.size(), 65536)), '\0');
  in.read(start.data(), start.size(), 0);
  const auto lines = double(std::count(start.begin(), start.end(), '\n') + 1);
  return std::int64_t(lines / double(start.size()) * double(in.size()));
}

std::string_view trimmed(std::string_view cell) {
  const auto first = cell.find_first_not_of(" \t\r\n"), last = cell.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : cell.substr(first, last - first + 1);
}

std::optional<double> number_of(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  double value = 0;
  const char* const last = cell.data() + cell.size();
  const auto [end, error] = std::from_chars(cell.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  // Out of range: strtod returns infinity or a denormal.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(cell).c_str(), nullptr);
  return value;
}

std::string list_of(const std::vector<std::string>& cells) {
  std::string list;
  for (std::size_t c = 0; c < std::min<std::size_t>(cells.size(), 10); ++c)
    list += (c > 0 ? " " : "") + shown(cells[c], 30);
  return cells.size() > 10 ? list + fmt::format(" and {} more", cells.size() - 10) : list;
}

std::size_t find_column(const std::string& name, const std::string& column, const std::string& option,
                        const std::vector<std::string>& cells, bool header) {
  if (column.empty()) {
    if (cells.size() == 1) return 0;
    throw UsageError(fmt::format("{}: has {} columns; choose one with {}{}", name, cells.size(), option,
                                 header ? fmt::format(": {}", list_of(cells)) : " and its number"));
  }
  if (header) {
    const auto same = std::count(cells.begin(), cells.end(), column);
    if (same > 1)
      throw UsageError(fmt::format("{}: has {} columns '{}'; give {} the number of one", name, same,
                                   shown(column), option));
    if (same == 1) return std::size_t(std::find(cells.begin(), cells.end(), column) - cells.begin());
  }
  const auto number = number_of(column);
  if (number && *number >= 1 && *number <= double(cells.size()) && *number == std::floor(*number))
    return std::size_t(*number) - 1;
  if (number && header)
    throw UsageError(fmt::format("{}: has no column '{}' ({}); its columns are 1 to {}: {}", name,
                                 shown(column), option, cells.size(), list_of(cells)));
  throw UsageError(fmt::format("{}: has no column '{}'{} ({}); it has {}", name, shown(column),
                               header ? runtime::did_you_mean(column, cells) : "", option,
                               header ? list_of(cells) : fmt::format("1 to {}", cells.size())));
}

/// All threads read the wanted column of the rows after those that 'first' has read. Returns false without a
/// result if cells are quoted, since these may contain lines, or if a row must be refused.
bool read_rows_at_once(const CsvReader& first, std::size_t place, Numbers& values) {
  constexpr std::int64_t piece = std::int64_t(1) << 20;
  const std::string_view text = first.rest();
  if (std::memchr(text.data(), '"', text.size())) return false;
  const auto size = std::int64_t(text.size());
  std::vector<Numbers> parts(std::size_t((size + piece - 1) / piece));
  std::atomic<bool> fine{true};
  runtime::for_pieces(std::int64_t(parts.size()), [&](std::int64_t p) {
    // Lines that begin in this piece.
    const auto line_from = [&](std::int64_t at) {
      return at == 0      ? 0
             : at >= size ? text.size()
                          : std::min(text.find('\n', std::size_t(at) - 1), text.size() - 1) + 1;
    };
    const std::size_t begin = line_from(p * piece);
    Numbers& part = parts[std::size_t(p)];
    part.reserve(std::size_t(std::min(size, piece)) / 12);
    try {
      for (CsvReader rows(first, text.substr(begin, line_from((p + 1) * piece) - begin));
           fine && rows.next();) {
        const auto number = number_of(rows.cells()[place]);
        if (number && std::isfinite(*number))
          part.push_back(*number);
        else
          fine = false;
      }
    } catch (const UsageError&) {
      fine = false;
    }
  });
  if (!fine) return false;
  std::vector<std::size_t> before(parts.size() + 1, values.size());
  for (std::size_t p = 0; p < parts.size(); ++p) before[p + 1] = before[p] + parts[p].size();
  values.resize(before.back());
  runtime::for_pieces(std::int64_t(parts.size()), [&](std::int64_t p) {
    Numbers& part = parts[std::size_t(p)];
    std::copy(part.begin(), part.end(), values.begin() + std::ptrdiff_t(before[std::size_t(p)]));
    part = Numbers();
  });
  return true;
}

bool is_missing(std::string_view cell) {
  static const char* const words[] = {"na",  "n/a",  "n.a.", "n.a", "#n/a", "null",
                                      "nil", "none", "-",    "--",  ".",    "?"};
  return std::find(std::begin(words), std::end(words), runtime::lowered(std::string(cell))) !=
             std::end(words) ||
         is_error_value(cell);
}

/// "1234.5" from "1,234.5"; nullopt if commas do not separate thousands.
std::optional<std::string> without_thousands(std::string_view cell) {
  const std::string_view whole = cell.substr(0, cell.find('.'));
  const std::size_t first = whole.find(',');
  if (first == std::string_view::npos || first > 4) return std::nullopt;
  for (std::size_t at = first; at < whole.size(); at += 4)
    if (whole[at] != ',' || whole.size() - at < 4) return std::nullopt;
  std::string plain(cell);
  plain.erase(std::remove(plain.begin(), plain.end(), ','), plain.end());
  return number_of(plain) ? std::optional(plain) : std::nullopt;
}

/// True if a cell that is not a number was meant to be one: a word for a missing value, or a digit before any
/// letter (1_000, $5, 10%, a date, 1d5, 0x10, 12kg).
bool is_meant_as_value(std::string_view cell) {
  if (is_missing(cell)) return true;
  const std::string small = runtime::lowered(std::string(cell));
  for (std::size_t i = 0; i < small.size();) {
    const auto c = static_cast<unsigned char>(small[i]);
    if (c >= '0' && c <= '9') return true;
    if (c >= 'a' && c <= 'z') return false;
    // Non-ASCII (UTF-8) spaces, minus signs and currency signs are not letters; anything else may be one.
    const int next = i + 1 < small.size() ? static_cast<unsigned char>(small[i + 1]) : 0;
    const bool of_latin = c == 0xc2 && next != 0xb5;  // U+00A0 to U+00BF except micro
    const bool general = c == 0xe2 && next < 0x90 && next != 0x84 && next != 0x85;  // U+2000 to U+23FF
    if (c >= 0x80 && !of_latin && !general) return false;
    i += c < 0x80 ? 1 : of_latin ? 2 : 3;
  }
  return false;
}

/// A copy of a row's cells, kept while the next row is read.
struct Row {
  std::vector<std::string> cells;
  std::vector<bool> quoted;
  std::int64_t line = 0;

  explicit Row(const CsvReader& from) : line(from.line()) {
    for (std::size_t c = 0; c < from.cells().size(); ++c) {
      cells.push_back(tools::composed(from.cells()[c]));
      quoted.push_back(from.quoted(c));
    }
  }
  bool has_number() const {
    return std::any_of(cells.begin(), cells.end(), [](const auto& c) { return number_of(c); });
  }
};

bool is_whole(const std::string& cell) {
  return trimmed(cell).find_first_not_of("0123456789") == std::string_view::npos;
}

/// Score of a row whose numbers look like a header: 1 if all are years, plus 1 if each is one more than the
/// previous one.
int header_of_numbers(const std::vector<std::string>& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells)
    if (const auto number = number_of(cell)) numbers.push_back(*number);
  if (numbers.empty()) return 0;
  const bool years =
      std::all_of(numbers.begin(), numbers.end(), [](double n) { return n >= 1600 && n < 2200; });
  bool run = numbers.size() >= (years ? 2 : 3);
  for (std::size_t i = 1; i < numbers.size(); ++i) run = run && numbers[i] == numbers[i - 1] + 1;
  return int(years) + int(run);
}

enum class Looks { header, numbers, either };

/// Classifies a first row with numbers by comparison with the second: quotes tell a header from numbers.
/// Either: a non-numeric cell above a number; or, in a row that also has words above words, integers above
/// fractions or above numbers that look less like years; or columns numbered from 0 (pandas) or from 1.
Looks looks_of(const Row& first, const Row& second) {
  bool either = false, words = false, whole = true, fractions = false, places = first.cells.size() > 1;
  const bool from_one = first.cells.size() > 2 && trimmed(first.cells[0]) == "1";
  for (std::size_t c = 0; c < first.cells.size(); ++c) {
    const bool above = number_of(first.cells[c]).has_value(), below = number_of(second.cells[c]).has_value();
    if (above && below && first.quoted[c] && !second.quoted[c]) return Looks::header;
    either = either || (!above && below);
    words = words || (!above && !below);
    whole = whole && (!above || is_whole(first.cells[c]));
    places = places && trimmed(first.cells[c]) == std::to_string(c + from_one);
    fractions = fractions || (above && below && !is_whole(second.cells[c]));
  }
  const bool counts = fractions || header_of_numbers(first.cells) > header_of_numbers(second.cells);
  places = places && (fractions || (first.cells.size() > 2 && !from_one));
  return either || places || (words && whole && counts) ? Looks::either : Looks::numbers;
}

class ColumnReader {
 public:
  ColumnReader(const std::string& name, std::string_view text, const std::string& column,
               const std::string& option, FirstRow first_row)
      : name_(name),
        rows_(name, text),
        column_(tools::composed(column)),
        option_(option),
        first_row_(first_row) {}

  Numbers read(const std::string& what) {
    if (rows_.next()) {
      const Row first(rows_);
      if (first_row_ == FirstRow::unknown && is_name(first)) first_row_ = FirstRow::header;
      const bool known = first_row_ != FirstRow::unknown, numbers = first.has_number();
      if (!known && !numbers) first_row_ = FirstRow::header;
      // Report an unknown column before reading the second row.
      if (known || !numbers) begin_with(first, !known);
      const bool more = rows_.next();
      if (!known && numbers) {
        first_row_ = more ? said_by(first, Row(rows_)) : FirstRow::numbers;
        begin_with(first, false);
      }
      if (more) take(rows_.cells(), rows_.line());
      if (more && !read_rows_at_once(rows_, place_, values_))
        for (std::int64_t row = 0; rows_.next(); ++row) {
          if (row % 65536 == 0) runtime::stop_if_interrupted();
          take(rows_.cells(), rows_.line());
        }
    }
    if (values_.empty()) throw UsageError(fmt::format("{}: holds no {}", name_, what));
    return std::move(values_);
  }

  const std::string& of_column() const { return of_column_; }

 private:
  /// True if --column equals one of the row's cells and cannot be a column number.
  bool is_name(const Row& first) const {
    const auto place = is_whole(column_) ? number_of(column_) : std::nullopt;
    if (place && *place >= 1 && *place <= double(first.cells.size())) return false;
    return std::count(first.cells.begin(), first.cells.end(), column_) > 0 && !column_.empty();
  }
  FirstRow said_by(const Row& first, const Row& second) const {
    Looks looks = looks_of(first, second);
    // pandas writes an unnamed series with this header, and all its other numbers with a decimal point.
    if (looks == Looks::numbers && first.cells.size() == 1 && first.cells[0] == "0" &&
        !is_whole(second.cells[0])) {
      looks = Looks::either;
      CsvReader others = rows_;
      for (int row = 0; row < 1000 && looks == Looks::either && others.next(); ++row)
        if (is_whole(others.cells()[0])) looks = Looks::numbers;
    }
    if (looks == Looks::either)
      throw UsageError(fmt::format(
          "{}: its first row ({}) is a header with numbers in it, or a row with samples; say which "
          "with --header or --no-header",
          name_, list_of(first.cells)));
    return looks == Looks::header ? FirstRow::header : FirstRow::numbers;
  }
  /// Finds the column. words: the row counts as a header only because of its words.
  void begin_with(const Row& first, bool words) {
    const bool header = first_row_ == FirstRow::header;
    place_ = find_column(name_, column_, option_, first.cells, header);
    of_column_ = header ? fmt::format(" of column '{}'", shown(first.cells[place_]))
                        : std::string(" (the first row counts as one)");
    if (!header)
      take(first.cells, first.line);
    else if (words && (column_.empty() || std::count(first.cells.begin(), first.cells.end(), column_) == 0))
      require_name(first);
  }
  /// A header is skipped, so it must not be a sample in an unsupported notation.
  void require_name(const Row& first) {
    const std::string& cell = first.cells[place_];
    const std::string_view text = trimmed(cell);
    if (text.empty() ? first.cells.size() > 1 : !is_meant_as_value(text)) return;
    if (text.empty() || has_decimal_comma(text)) return take(first.cells, first.line);
    throw UsageError(fmt::format(
        "{}: line {}: '{}' is no number as it stands; write it as one or remove the line, or give "
        "{} '{}' if that is the column's name",
        name_, first.line, shown(cell), option_, shown(cell)));
  }
  void take(const std::vector<std::string>& cells, std::int64_t line) {
    const std::string& cell = cells[place_];
    const auto value = number_of(cell);
    if (value && std::isfinite(*value)) {
      values_.push_back(*value);
      return;
    }
    const std::string where = fmt::format("{}: line {}: ", name_, line);
    if (trimmed(cell).empty())
      throw UsageError(where +
                       fmt::format("its cell {} is blank; remove the line or fill it first", place_ + 1));
    if (has_decimal_comma(trimmed(cell)))
      throw UsageError(where + fmt::format("'{}' has a decimal comma; write decimal points", shown(cell)));
    if (const auto plain = without_thousands(trimmed(cell)))
      throw UsageError(where +
                       fmt::format("'{}' has commas between its thousands; write {}", shown(cell), *plain));
    if (value || is_missing(trimmed(cell)))
      throw UsageError(
          where + fmt::format("'{}' is no finite number; remove the line or fill it first", shown(cell)));
    throw UsageError(where + fmt::format("'{}' is no number; write it as one{}", shown(cell),
                                         values_.empty() && cells.size() > 1
                                             ? fmt::format(", or choose another column with {}", option_)
                                             : " or remove the line"));
  }

  const std::string& name_;
  CsvReader rows_;
  const std::string column_, &option_;
  FirstRow first_row_;
  std::string of_column_;
  std::size_t place_ = 0;
  Numbers values_;
};

}  // namespace

Numbers read_column(const std::string& path, const std::string& column, const std::string& what,
                    const std::string& column_option, Format* format, const Announce& announce,
                    std::string* of_column, const PartOf& part, FirstRow first_row) {
  Input in(path);
  char magic[6] = {};
  in.read(magic, std::size_t(std::min<std::int64_t>(in.size(), 6)), 0);
  if (std::memcmp(magic, "\x93NUMPY", 6) == 0) {
    if (!column.empty())
      throw UsageError(fmt::format("{} is for CSV files; {} is a .npy array", column_option, in.name()));
    if (format) *format = Format::npy;
    Numbers values = read_npy(in, what, announce, part);
    in.require_unchanged();
    return values;
  }
  if (std::memcmp(magic, "\x1f\x8b", 2) == 0)
    throw UsageError(fmt::format(
        "{}: is compressed with gzip; unpack it first, as in 'zcat FILE | parity density - -'", in.name()));
  if (format) *format = Format::csv;
  if (announce) announce(rows_of(in), in.size());
  const Bytes bytes = in.take();
  in.require_unchanged();
  const std::string_view text(bytes.data(), bytes.size());
  ColumnReader reader(in.name(), text, column, column_option, first_row);
  if (std::memchr(text.data(), '\0', text.size())) {
    const std::string known = what_it_is(text);
    throw UsageError(fmt::format("{}: is neither .npy nor text{}", in.name(),
                                 known.empty() ? "; save it with numpy.save or as CSV" : known));
  }
  Numbers values = reader.read(what);
  if (of_column) *of_column = reader.of_column();
  if (!part) return values;
  const runtime::Share wanted = part(std::int64_t(values.size()));
  return Numbers(values.begin() + wanted.first, values.begin() + wanted.first + wanted.size);
}

}  // namespace parity::io
