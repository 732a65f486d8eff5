// SPDX-License-Identifier: BSD-3-Clause
#include "io/npy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "io/field_file.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;
constexpr std::int64_t longest_header = 65536;

/// Reads the Python dictionary literal that .npy headers hold: three known keys, in any order.
class HeaderText {
 public:
  HeaderText(const std::string& file, const std::string& text) : file_(file), text_(text) {}

  void read(NpyHeader& header, bool& fortran) {
    bool seen[3] = {};
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        skip_spaces();
        if (at_ < text_.size() && text_[at_] == '[')
          throw UsageError(file_ + ": holds records of several fields; save one field as float32 or float64");
        header.descr = quoted();
        seen[0] = true;
      } else if (key == "fortran_order") {
        fortran = boolean();
        seen[1] = true;
      } else if (key == "shape") {
        header.shape = tuple();
        seen[2] = true;
      } else {
        fail();
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (!seen[0] || !seen[1] || !seen[2]) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw UsageError(file_ + ": has a damaged .npy header; save it again with numpy.save");
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  std::string quoted() {
    skip_spaces();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail();
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string::npos) fail();
    const std::string word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }
  bool boolean() {
    skip_spaces();
    for (const bool value : {true, false}) {
      const std::string word = value ? "True" : "False";
      if (text_.compare(at_, word.size(), word) != 0) continue;
      at_ += word.size();
      return value;
    }
    fail();
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!take(')')) {
      skip_spaces();
      std::int64_t n = 0;
      const auto [next, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
      if (error != std::errc() || n < 0) fail();
      numbers.push_back(n);
      at_ = std::size_t(next - text_.data());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  const std::string& file_;
  const std::string& text_;
  std::size_t at_ = 0;
};

std::uint32_t little_endian(const std::string& s, std::size_t at, int bytes) {
  std::uint32_t v = 0;
  for (int b = 0; b < bytes; ++b)
    v |= std::uint32_t(static_cast<unsigned char>(s[at + std::size_t(b)])) << (8 * b);
  return v;
}

template <class T>
void swap_bytes(T* values, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &values[i], sizeof(T));
    for (std::size_t b = 0; b < sizeof(T) / 2; ++b) std::swap(bytes[b], bytes[sizeof(T) - 1 - b]);
    std::memcpy(&values[i], bytes, sizeof(T));
  }
}

class NpyField : public FieldFile {
 public:
  NpyField(const std::string& input, const std::string& output) : input_(input) {
    in_ = open(input.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (in_ < 0 || fstat(in_, &status) != 0)
      throw UsageError(fmt::format("{}: {}", input, std::strerror(errno)));
    start_.resize(std::size_t(std::min<std::int64_t>(status.st_size, longest_header)));
    read_bytes(start_.data(), start_.size(), 0);
    header_ = parse_npy_header(input, start_, status.st_size);
    const auto& s = header_.shape;
    if (s.size() != 2 && s.size() != 3)
      throw UsageError(fmt::format("{}: has {} dimension(s); give a field of 2 (ny, nx) or 3 (nz, ny, nx)",
                                   input, s.size()));
    shape_ = {s.size() == 3 ? s[0] : 1, s[s.size() - 2], s.back(),
              header_.item_bytes == 4 ? runtime::Precision::f32 : runtime::Precision::f64};
    out_ = std::make_unique<WholeFile>(output);
    out_->write_at(start_.data(), std::size_t(header_.data_offset), 0);
  }
  ~NpyField() override {
    if (in_ >= 0) close(in_);
  }

  Shape shape() const override { return shape_; }
  void read(std::int64_t first, std::int64_t count, float* v) override { read_typed(first, count, v); }
  void read(std::int64_t first, std::int64_t count, double* v) override { read_typed(first, count, v); }
  void write(std::int64_t first, std::int64_t count, const float* v) override {
    write_typed(first, count, v);
  }
  void write(std::int64_t first, std::int64_t count, const double* v) override {
    write_typed(first, count, v);
  }
  void commit() override { out_->commit(); }

 private:
  void read_bytes(void* to, std::size_t bytes, std::int64_t offset) const {
    char* at = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t n = pread(in_, at, bytes, off_t(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0)
        throw UsageError(
            fmt::format("{}: {}", input_, n < 0 ? std::strerror(errno) : "ended while it was read"));
      at += n;
      offset += n;
      bytes -= std::size_t(n);
    }
  }
  std::int64_t offset(std::int64_t plane, std::size_t item) const {
    return header_.data_offset + plane * shape_.ny * shape_.nx * std::int64_t(item);
  }
  template <class T>
  void read_typed(std::int64_t first, std::int64_t count, T* values) const {
    const std::int64_t n = count * shape_.ny * shape_.nx;
    read_bytes(values, std::size_t(n) * sizeof(T), offset(first, sizeof(T)));
    if (header_.swapped) swap_bytes(values, n);
    require_finite(input_, shape_, first, count, values);
  }
  template <class T>
  void write_typed(std::int64_t first, std::int64_t count, const T* values) {
    const std::int64_t n = count * shape_.ny * shape_.nx;
    if (!header_.swapped) return out_->write_at(values, std::size_t(n) * sizeof(T), offset(first, sizeof(T)));
    std::vector<T> copy(values, values + n);
    swap_bytes(copy.data(), n);
    out_->write_at(copy.data(), std::size_t(n) * sizeof(T), offset(first, sizeof(T)));
  }

  std::string input_, start_;
  int in_ = -1;
  NpyHeader header_;
  Shape shape_;
  std::unique_ptr<WholeFile> out_;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& file, const std::string& start, std::int64_t file_bytes) {
  if (start.size() < 10 || start.compare(0, 6, "\x93NUMPY", 6) != 0)
    throw UsageError(file + ": is no whole .npy file");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw UsageError(fmt::format("{}: .npy version {} is unknown", file, version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  if (start.size() < prefix) throw UsageError(file + ": is no whole .npy file");
  const std::int64_t length = little_endian(start, 8, version == 1 ? 2 : 4);
  if (length + std::int64_t(prefix) > longest_header)
    throw UsageError(
        fmt::format("{}: has a header of {} bytes; a field's header is below 64 KiB", file, length));
  NpyHeader header;
  header.data_offset = length + std::int64_t(prefix);
  if (std::int64_t(start.size()) < header.data_offset) throw UsageError(file + ": ends within its header");
  const std::string text = start.substr(prefix, std::size_t(length));
  bool fortran = false;
  HeaderText(file, text).read(header, fortran);

  const std::string& d = header.descr;
  if (d.size() != 3 || (d[0] != '<' && d[0] != '>' && d[0] != '=') || d[1] != 'f' ||
      (d[2] != '4' && d[2] != '8'))
    throw UsageError(fmt::format("{}: holds '{}' values; save it as float32 or float64", file, d));
  header.item_bytes = d[2] - '0';
  const std::uint16_t probe = 1;
  const bool little = *reinterpret_cast<const unsigned char*>(&probe) == 1;
  header.swapped = d[0] != '=' && (d[0] == '<') != little;
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
  if (bytes > file_bytes - header.data_offset)
    throw UsageError(fmt::format("{}: is truncated: {} bytes of data where its header promises {}", file,
                                 file_bytes - header.data_offset, bytes));
  if (bytes < file_bytes - header.data_offset)
    throw UsageError(fmt::format("{}: has {} bytes after its data; it is no single saved array", file,
                                 file_bytes - header.data_offset - bytes));
  return header;
}

std::unique_ptr<FieldFile> open_npy(const std::string& input, const std::string& output) {
  return std::make_unique<NpyField>(input, output);
}

}  // namespace parity::io
