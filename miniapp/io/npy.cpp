// SPDX-License-Identifier: BSD-3-Clause
#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;
constexpr auto most_length = std::uint64_t(std::numeric_limits<std::int64_t>::max());  ///< of a dimension

/// Converts the Python dictionary literal of a .npy header to JSON: quotes, words and brackets differ, and a
/// comma may precede a closing bracket.
nlohmann::json dictionary_of(const std::string& text) {
  const auto closes = [&text](std::size_t at) {
    return at < text.size() && (text[at] == ')' || text[at] == ']' || text[at] == '}');
  };
  std::string json;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      const std::size_t end = std::min(text.find(c, at + 1), text.size());
      json += nlohmann::json(runtime::shown(text.substr(at + 1, end - at - 1))).dump();
      at = end;
    } else if (c == ',' && closes(text.find_first_not_of(" \n", at + 1))) {
      continue;
    } else if (c == 'T' || c == 'F') {
      json += c == 'T' ? 't' : 'f';
    } else if (c != 'L') {  // suffix of Python 2's long numbers
      json += c == '(' ? '[' : c == ')' ? ']' : c;
    }
  }
  return nlohmann::json::parse(json, nullptr, false);
}

void read_header(const std::string& file, const std::string& text, NpyHeader& header, bool& fortran) {
  const nlohmann::json read = dictionary_of(text.substr(0, text.rfind('}') + 1));
  const auto is_length = [](const nlohmann::json& n) { return n.is_number_unsigned() && n < most_length; };
  if (read.is_object() && read.contains("descr") && read["descr"].is_array())
    throw UsageError(file + ": holds records of several fields; save one field as float32 or float64");
  if (!read.is_object() || read.size() != 3 || !read.value("descr", nlohmann::json()).is_string() ||
      !read.value("fortran_order", nlohmann::json()).is_boolean() ||
      !read.value("shape", nlohmann::json()).is_array() ||
      !std::all_of(read["shape"].begin(), read["shape"].end(), is_length))
    throw UsageError(file + ": has a damaged .npy header; save it again with numpy.save");
  header.descr = read["descr"].get<std::string>();
  if (header.descr.size() == 2) header.descr.insert(0, "=");
  header.shape = read["shape"].get<std::vector<std::int64_t>>();
  fortran = read["fortran_order"].get<bool>();
}

std::uint32_t little_endian(const std::string& s, std::size_t at, int bytes) {
  std::uint32_t v = 0;
  for (int b = 0; b < bytes; ++b)
    v |= std::uint32_t(static_cast<unsigned char>(s[at + std::size_t(b)])) << (8 * b);
  return v;
}

}  // namespace

std::int64_t npy_header_bytes(const std::string& start) {
  return start[6] == 1 ? 10 + std::int64_t(little_endian(start, 8, 2))
                       : 12 + std::int64_t(little_endian(start, 8, 4));
}

NpyHeader parse_npy_header(const std::string& file, const std::string& start, std::int64_t file_bytes,
                           bool whole_numbers) {
  if (start.compare(0, 3, "CDF") == 0 || start.compare(0, 8, "\x89HDF\r\n\x1a\n", 8) == 0)
    throw UsageError(file + ": is NetCDF, which a pipe cannot carry; give the file's name");
  if (start.size() < 10 || start.compare(0, 6, "\x93NUMPY", 6) != 0)
    throw UsageError(file + ": is no whole .npy file");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw UsageError(fmt::format("{}: .npy version {} is unknown", file, version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  if (start.size() < prefix) throw UsageError(file + ": is no whole .npy file");
  const std::int64_t length = npy_header_bytes(start) - std::int64_t(prefix);
  if (length + std::int64_t(prefix) > longest_npy_header)
    throw UsageError(
        fmt::format("{}: has a header of {} bytes; a field's header is below 64 KiB", file, length));
  NpyHeader header;
  header.data_offset = length + std::int64_t(prefix);
  if (std::int64_t(start.size()) < header.data_offset) throw UsageError(file + ": ends within its header");
  const std::string text = start.substr(prefix, std::size_t(length));
  bool fortran = false;
  read_header(file, text, header, fortran);

  const std::string& d = header.descr;
  const bool four_or_eight = d.size() == 3 && (d[2] == '4' || d[2] == '8');
  const bool whole = whole_numbers && d.size() == 3 && (d[1] == 'i' || d[1] == 'u') &&
                     (four_or_eight || d[2] == '1' || d[2] == '2');
  if (!(four_or_eight && d[1] == 'f' && d[0] != '|') && !whole)
    throw UsageError(
        fmt::format("{}: holds '{}' values; save it as float32 or float64", file, runtime::shown(d)));
  if (std::string("<>=|").find(d[0]) == std::string::npos)
    throw UsageError(fmt::format("{}: has a damaged .npy header; save it again with numpy.save", file));
  header.item_bytes = d[2] - '0';
  header.kind = d[1];
  header.swapped = d[0] != '=' && d[0] != '|' && (d[0] == '<') != is_little_endian;
  if (fortran && header.shape.size() > 1)
    throw UsageError(file + ": is in Fortran order; save numpy.ascontiguousarray(field) instead");
  // Checked multiplication: a huge shape must not wrap around to a size that fits.
  std::int64_t bytes = header.item_bytes;
  for (const std::int64_t n : header.shape) {
    if (n == 0) throw UsageError(file + ": the array is empty (a dimension is 0)");
    if (__builtin_mul_overflow(bytes, n, &bytes)) bytes = std::int64_t(1) << 62;
    if (bytes >= std::int64_t(1) << 62)
      throw UsageError(file + ": the shape in its header is larger than any file");
  }
  if (file_bytes == unknown_size) return header;
  if (bytes > file_bytes - header.data_offset)
    throw UsageError(
        fmt::format("{}: is truncated: {} bytes of data where its header promises {}; copy or save it again",
                    file, file_bytes - header.data_offset, bytes));
  if (bytes < file_bytes - header.data_offset)
    throw UsageError(fmt::format("{}: has {} bytes after its data; it is no single saved array", file,
                                 file_bytes - header.data_offset - bytes));
  return header;
}

}  // namespace parity::io
