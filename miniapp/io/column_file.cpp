// SPDX-License-Identifier: BSD-3-Clause
#include "io/column_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>

#include "io/csv.hpp"
#include "io/npy.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/suggest.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;

template <class T>
std::vector<double> numbers_of(const std::string& text, const NpyHeader& header) {
  std::vector<double> values(static_cast<std::size_t>(header.shape.front()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, text.data() + std::size_t(header.data_offset) + i * sizeof(T), sizeof(T));
    if (header.swapped) std::reverse(bytes, bytes + sizeof(T));
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    values[i] = double(value);
  }
  return values;
}

std::vector<double> read_npy(const std::string& path, const std::string& text, const std::string& what) {
  const NpyHeader header = parse_npy_header(path, text, std::int64_t(text.size()));
  if (header.shape.size() != 1)
    throw UsageError(
        fmt::format("{}: has {} dimensions; {} are one column: save array.ravel() or array[:, k]", path,
                    header.shape.size(), what));
  auto values = header.item_bytes == 4 ? numbers_of<float>(text, header) : numbers_of<double>(text, header);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw UsageError(fmt::format("{}: value {} of the {} is {}; remove it first", path, i, what,
                                   std::isnan(values[i]) ? "NaN" : "infinite"));
  return values;
}

std::string trimmed(const std::string& cell) {
  const auto first = cell.find_first_not_of(" \t\r\n"), last = cell.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : cell.substr(first, last - first + 1);
}

std::optional<double> number_of(const std::string& text) {
  const std::string cell = trimmed(text);
  double value = 0;
  const char* const begin = cell.data() + (cell.size() > 1 && cell[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

/// The place of the wanted column in the first line's cells.
std::size_t find_column(const std::string& path, const std::string& column,
                        const std::vector<std::string>& cells, bool header) {
  if (column.empty()) {
    if (cells.size() == 1) return 0;
    throw UsageError(fmt::format("{}: has {} columns; choose one with --column{}", path, cells.size(),
                                 header ? fmt::format(": {}", fmt::join(cells, " ")) : " and its number"));
  }
  if (header)
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (cells[c] == column) return c;
  const auto number = number_of(column);
  if (number && *number >= 1 && *number <= double(cells.size()) && *number == std::floor(*number))
    return std::size_t(*number) - 1;
  throw UsageError(fmt::format(
      "{}: has no column '{}'{}; it has {}", path, column, header ? runtime::did_you_mean(column, cells) : "",
      header ? fmt::format("{}", fmt::join(cells, " ")) : fmt::format("1 to {}", cells.size())));
}

std::vector<double> read_csv(const std::string& path, const std::string& text, const std::string& column,
                             const std::string& what) {
  std::vector<double> values;
  CsvReader rows(path, text);
  std::size_t place = 0;
  for (bool first = true; rows.next(); first = false) {
    const auto& cells = rows.cells();
    if (first) {
      // A header names its columns: none of its cells is a number.
      const bool header =
          std::none_of(cells.begin(), cells.end(), [](const auto& c) { return number_of(c); });
      place = find_column(path, column, cells, header);
      if (header) continue;
    }
    const std::string& cell = cells[place];
    const auto value = number_of(cell);
    if (!value && trimmed(cell).empty())
      throw UsageError(fmt::format("{}: line {}: its cell {} is blank; remove the line or fill it first",
                                   path, rows.line(), place + 1));
    if (!value || !std::isfinite(*value))
      throw UsageError(fmt::format("{}: line {}: '{}' is no finite number; remove the line or fill it first",
                                   path, rows.line(), cell));
    values.push_back(*value);
  }
  if (values.empty()) throw UsageError(fmt::format("{}: holds no {}", path, what));
  return values;
}

}  // namespace

std::vector<double> read_column(const std::string& path, const std::string& column, const std::string& what) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw UsageError(fmt::format("{}: {}", path, std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) throw UsageError(fmt::format("{}: is no regular file", path));
  if (status.st_size == 0) throw UsageError(fmt::format("{}: is empty; give a .npy or CSV file", path));
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), std::streamsize(text.size()));
  if (!in) throw UsageError(fmt::format("{}: cannot be read", path));
  if (text.compare(0, 6, "\x93NUMPY") == 0) {
    if (!column.empty()) throw UsageError("--column is for CSV files; a 1-D .npy array has no columns");
    return read_npy(path, text, what);
  }
  if (text.find('\0') != std::string::npos)
    throw UsageError(fmt::format("{}: is neither .npy nor text; save it with numpy.save or as CSV", path));
  return read_csv(path, text, column, what);
}

void check_table_name(const std::string& path) {
  if (!runtime::ends_with(path, ".npy") && !runtime::ends_with(path, ".csv"))
    throw UsageError(fmt::format("{}: the output is .npy or .csv; name it so", path));
}

void write_table(const std::string& path, const std::vector<double>& points,
                 const std::vector<double>& densities, const std::string& name) {
  check_table_name(path);
  WholeFile file(path);
  std::string text;
  if (runtime::ends_with(path, ".csv")) {
    text = "point," + name + "\n";
    for (std::size_t i = 0; i < points.size(); ++i)
      text += fmt::format("{:.17g},{:.17g}\n", points[i], densities[i]);
    file.write_at(text.data(), text.size(), 0);
  } else {
    const std::uint16_t probe = 1;
    const bool little = *reinterpret_cast<const unsigned char*>(&probe) == 1;
    std::string header = fmt::format("{{'descr': '{}f8', 'fortran_order': False, 'shape': ({}, 2), }}",
                                     little ? '<' : '>', points.size());
    header.append(64 - (10 + header.size() + 1) % 64, ' ');
    header += '\n';
    text = std::string("\x93NUMPY\x01\x00", 8);
    text += char(header.size() & 0xff);
    text += char(header.size() >> 8);
    text += header;
    std::vector<double> rows(2 * points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      rows[2 * i] = points[i];
      rows[2 * i + 1] = densities[i];
    }
    file.write_at(text.data(), text.size(), 0);
    file.write_at(rows.data(), rows.size() * sizeof(double), std::int64_t(text.size()));
  }
  file.commit();
}

}  // namespace parity::io
