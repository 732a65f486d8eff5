// SPDX-License-Identifier: BSD-3-Clause
// Header grammar: "NetCDF Classic Format Specification", Unidata.
#include "tools/filter/netcdf_classic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/names.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;
constexpr std::int64_t most_bytes = std::int64_t(1) << 60;

/// Reads numbers, names and lists in sequence.
class Header {
 public:
  Header(const std::string& path, std::istream& in, int version) : path_(path), in_(in), version_(version) {}
  [[noreturn]] void fail() const {
    throw UsageError(fmt::format(
        "{}: is no whole NetCDF file (its header is cut short or damaged); copy or write it again", path_));
  }
  std::int64_t number(int bytes) {
    unsigned char raw[8] = {};
    if (!in_.read(reinterpret_cast<char*>(raw), bytes)) fail();
    std::uint64_t value = 0;
    for (int b = 0; b < bytes; ++b) value = value << 8 | raw[b];
    return std::int64_t(value);
  }
  std::int64_t count() { return bounded(number(version_ == 5 ? 8 : 4)); }
  std::int64_t offset() { return bounded(number(version_ == 1 ? 4 : 8)); }
  /// nullopt for a file that was not closed.
  std::optional<std::int64_t> records() {
    const std::int64_t n = number(version_ == 5 ? 8 : 4);
    if (n == (version_ == 5 ? std::int64_t(-1) : std::int64_t(0xffffffff))) return std::nullopt;
    return bounded(n);
  }
  std::string name() {
    const std::int64_t n = count();
    if (n > 4096) fail();
    std::string text(std::size_t(padded(n)), '\0');
    if (!in_.read(text.data(), padded(n))) fail();
    return text.substr(0, std::size_t(n));
  }
  /// Number of elements in a list with this tag; 0 if the list is absent.
  std::int64_t list(std::int64_t tag) {
    const std::int64_t found = number(4), n = count();
    if (found != tag && !(found == 0 && n == 0)) fail();
    return n;
  }
  void skip_attributes() {
    for (std::int64_t n = list(12); n > 0; --n) {
      name();
      const std::int64_t size = type_bytes(number(4));
      if (!in_.seekg(padded(product(size, count())), std::ios::cur)) fail();
    }
  }
  std::int64_t type_bytes(std::int64_t type) const {
    constexpr int bytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    if (type < 1 || type > (version_ == 5 ? 11 : 6)) fail();
    return bytes[type];
  }
  std::int64_t product(std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) fail();
    return bounded(result);
  }
  static std::int64_t padded(std::int64_t bytes) { return (bytes + 3) / 4 * 4; }

 private:
  std::int64_t bounded(std::int64_t n) const {
    if (n < 0 || n > most_bytes) fail();
    return n;
  }
  const std::string& path_;
  std::istream& in_;
  int version_;
};

}  // namespace

std::optional<ClassicLayout> classic_layout(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[4] = {};
  in.read(magic, 4);
  if (!in || magic[0] != 'C' || magic[1] != 'D' || magic[2] != 'F') return std::nullopt;
  const int version = magic[3];
  if (version != 1 && version != 2 && version != 5) return std::nullopt;
  Header h(path, in, version);
  const std::optional<std::int64_t> records = h.records();
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = h.list(10); n > 0; --n) {
    h.name();
    lengths.push_back(h.count());
  }
  h.skip_attributes();
  ClassicLayout layout;
  std::int64_t record_bytes = 0, record_variables = 0;
  for (std::int64_t n = h.list(11); n > 0; --n) {
    ClassicVariable v;
    v.name = tools::composed(h.name());
    std::int64_t points = 1;
    const std::int64_t rank = h.count();
    if (rank > std::int64_t(lengths.size()) * 2 + 1024) h.fail();
    for (std::int64_t d = 0; d < rank; ++d) {
      const std::int64_t dimension = h.count();
      if (dimension >= std::int64_t(lengths.size())) h.fail();
      const std::int64_t length = lengths[std::size_t(dimension)];
      if (length == 0 && d == 0)
        v.records = true;
      else
        points = h.product(points, length);
    }
    h.skip_attributes();
    v.bytes = h.product(points, h.type_bytes(h.number(4)));
    h.count();  // its size again, which is wrong above 4 GiB
    v.begin = h.offset();
    if (v.records) {
      record_bytes += Header::padded(v.bytes);
      ++record_variables;
      if (record_bytes > most_bytes) h.fail();
    }
    layout.variables.push_back(v);
  }
  if (!records && record_variables > 0)
    throw UsageError(fmt::format(
        "{}: does not say how many records it has (it was not closed); copy it with nccopy", path));
  for (const ClassicVariable& v : layout.variables) {
    if (v.records && *records == 0) continue;
    // A single record variable is not padded.
    const std::int64_t step = record_variables == 1 ? v.bytes : record_bytes;
    const std::int64_t before = v.records ? h.product(*records - 1, step) : 0;
    layout.file_bytes = std::max(layout.file_bytes, v.begin + before + v.bytes);
  }
  return layout;
}

}  // namespace parity::io
