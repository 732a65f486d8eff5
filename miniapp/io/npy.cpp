// SPDX-License-Identifier: BSD-3-Clause
#include "io/npy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "io/field_file.hpp"
#include "io/steady_file.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/parallel.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

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

/// A file read at any place, or a pipe read from its beginning on.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path == "-" ? "standard input" : path) {
    file_ = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file_ < 0 || fstat(file_, &status) != 0) {
      const int reason = errno;
      if (file_ >= 0) close(file_);
      throw UsageError(fmt::format("{}: {}", path_, std::strerror(reason)));
    }
    seekable_ = S_ISREG(status.st_mode) && lseek(file_, 0, SEEK_CUR) == 0;
    if (seekable_) size_ = status.st_size;
    steady_.emplace(file_, path_);
  }
  ~Source() { close(file_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::string& path() const { return path_; }
  bool seekable() const { return seekable_; }
  std::int64_t size() const { return size_; }  ///< unknown_size for a pipe
  /// How many of the bytes there are.
  std::size_t read_some(void* to, std::size_t bytes, std::int64_t offset) {
    char* at = static_cast<char*>(to);
    std::size_t done = 0;
    while (done < bytes) {
      const std::size_t piece = std::min(bytes - done, std::size_t(1) << 26);
      if (!seekable_) {
        // A signal must be seen while nothing comes.
        pollfd ready{file_, POLLIN, 0};
        poll(&ready, 1, 100);
        runtime::stop_if_interrupted();
        if (ready.revents == 0) continue;
      }
      const ssize_t n = seekable_ ? pread(file_, at + done, piece, off_t(offset + std::int64_t(done)))
                                  : ::read(file_, at + done, piece);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw UsageError(fmt::format("{}: {}", path_, std::strerror(errno)));
      if (n == 0) break;
      done += std::size_t(n);
    }
    return done;
  }
  void require_unchanged() const { steady_->require_unchanged(); }
  void read(void* to, std::size_t bytes, std::int64_t offset) {
    if (read_some(to, bytes, offset) < bytes)
      throw UsageError(
          fmt::format("{}: ended while it was read; it is truncated: copy or save it again", path_));
  }

 private:
  std::string path_;
  int file_ = -1;
  bool seekable_ = false;
  std::int64_t size_ = unknown_size;
  std::optional<SteadyFile> steady_;
};

/// The bytes before the data.
std::string read_start(Source& in) {
  std::string start(12, '\0');
  start.resize(in.read_some(start.data(), start.size(), 0));
  if (start.size() < 12) return start;
  const std::int64_t whole = npy_header_bytes(start);
  if (whole <= 12 || whole > longest_header) return start;
  start.resize(std::size_t(whole));
  start.resize(12 + in.read_some(start.data() + 12, start.size() - 12, 12));
  return start;
}

class NpyField : public Field {
 public:
  NpyField(const std::string& input, const std::string& output, const FieldFileOptions& options)
      : options_(options), in_(input), start_(read_start(in_)) {
    header_ = parse_npy_header(in_.path(), start_, in_.size());
    const auto& s = header_.shape;
    if (s.size() != 2 && s.size() != 3)
      throw UsageError(fmt::format("{}: has {} dimension(s); give a field of 2 (ny, nx) or 3 (nz, ny, nx)",
                                   in_.path(), s.size()));
    shape_ = {s.size() == 3 ? s[0] : 1, s[s.size() - 2], s.back(),
              header_.item_bytes == 4 ? runtime::Precision::f32 : runtime::Precision::f64};
    if (!options.joins.empty()) {
      out_ = std::make_unique<WholeFile>(output, options.joins);
      return;
    }
    out_ = std::make_unique<WholeFile>(output);
    out_->write_at(start_.data(), std::size_t(header_.data_offset), 0);
  }

  std::string name() const override { return in_.path(); }
  Shape shape() const override { return shape_; }
  std::vector<Block> blocks_among(std::int64_t most, const runtime::Share& planes) const override {
    return blocks_of({std::size_t(shape_.nz)}, {1}, most, planes);
  }
  std::string plane_name(const Block& b, std::int64_t k) const override {
    return fmt::format("plane {}", std::int64_t(b.start[0]) + k);
  }
  void read(const Block& b, float* v) override { read_typed(b, v); }
  void read(const Block& b, double* v) override { read_typed(b, v); }
  void write(const Block& b, const float* v) override { write_typed(b, v); }
  void write(const Block& b, const double* v) override { write_typed(b, v); }
  std::string temporary() const { return out_->is_stream() ? "" : out_->path(); }
  void flush() {
    in_.require_unchanged();
    out_->flush();
  }
  void commit() {
    in_.require_unchanged();
    out_->commit();
  }

 private:
  std::int64_t offset(const Block& b) const {
    return header_.data_offset + std::int64_t(b.start[0]) * shape_.plane() * std::int64_t(header_.item_bytes);
  }
  /// A file's by several threads.
  void read_bytes(char* to, std::int64_t bytes, std::int64_t at) {
    constexpr std::int64_t piece = std::int64_t(4) << 20;
    if (!in_.seekable()) return in_.read(to, std::size_t(bytes), at);
    runtime::FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t begin = 0; begin < bytes; begin += piece)
      failure.guard([&] { in_.read(to + begin, std::size_t(std::min(piece, bytes - begin)), at + begin); });
    failure.rethrow();
  }
  template <class T>
  void read_typed(const Block& b, T* values) {
    const std::int64_t n = b.planes() * shape_.plane();
    read_bytes(reinterpret_cast<char*>(values), n * std::int64_t(sizeof(T)), offset(b));
    if (!in_.seekable() && std::int64_t(b.start[0]) + b.planes() == shape_.nz) {
      char more;
      if (in_.read_some(&more, 1, 0) > 0)
        throw UsageError(in_.path() + ": has bytes after its data; it is no single saved array");
    }
    if (header_.swapped) {
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n; ++i) values[i] = swapped(values[i]);
    }
    require_finite(*this, b, values, options_);
  }
  template <class T>
  void write_typed(const Block& b, const T* values) {
    const std::int64_t n = b.planes() * shape_.plane();
    const T* from = values;
    std::vector<T> copy;
    if (header_.swapped) {
      copy.resize(std::size_t(n));
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < n; ++i) copy[std::size_t(i)] = swapped(values[i]);
      from = copy.data();
    }
    out_->write_at(from, std::size_t(n) * sizeof(T), offset(b));
  }

  FieldFileOptions options_;
  Source in_;
  std::string start_;
  NpyHeader header_;
  Shape shape_;
  std::unique_ptr<WholeFile> out_;
};

class NpyFile : public FieldFile {
 public:
  NpyFile(const std::string& input, const std::string& output, const FieldFileOptions& options) {
    fields_.push_back(std::make_unique<NpyField>(input, output, options));
  }
  std::string temporary() const override { return field().temporary(); }
  void flush() override { field().flush(); }
  void commit() override { field().commit(); }

 private:
  NpyField& field() const { return static_cast<NpyField&>(*fields_.front()); }
};

}  // namespace

std::int64_t npy_header_bytes(const std::string& start) {
  return start[6] == 1 ? 10 + std::int64_t(little_endian(start, 8, 2))
                       : 12 + std::int64_t(little_endian(start, 8, 4));
}

NpyHeader parse_npy_header(const std::string& file, const std::string& start, std::int64_t file_bytes) {
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
    throw UsageError(
        fmt::format("{}: holds '{}' values; save it as float32 or float64", file, runtime::shown(d)));
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

std::unique_ptr<FieldFile> open_npy(const std::string& input, const std::string& output,
                                    const FieldFileOptions& options) {
  return std::make_unique<NpyFile>(input, output, options);
}

}  // namespace parity::io
