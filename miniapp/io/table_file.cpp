// SPDX-License-Identifier: BSD-3-Clause
#include "io/table_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "io/input.hpp"
#include "io/whole_file.hpp"
#include "runtime/error.hpp"
#include "runtime/parallel.hpp"
#include "runtime/text.hpp"

namespace parity::io {
namespace {

using runtime::UsageError;
using runtime::Values;

/// Bytes on their way out: to any place of a file that appears when it is whole, or one after the other to
/// what is no file.
class Output {
 public:
  explicit Output(const TableTarget& target) : name_(target.name()) {
    struct stat there {};
    const bool standard = target.path == "-";
    if (!standard && (stat(target.path.c_str(), &there) != 0 || S_ISREG(there.st_mode))) {
      whole_ = std::make_unique<WholeFile>(target.path);
      return;
    }
    stream_ = standard ? dup(STDOUT_FILENO) : open(target.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (stream_ < 0) fail(errno);
  }
  ~Output() {
    if (stream_ >= 0) close(stream_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool sequential() const { return !whole_; }
  void write_at(const Bytes& bytes, std::int64_t offset) {
    whole_->write_at(bytes.data(), bytes.size(), offset);
    // The disk begins at once: the end then waits for little.
    sync_file_range(whole_->descriptor(), offset, std::int64_t(bytes.size()), SYNC_FILE_RANGE_WRITE);
  }
  void append(const Bytes& bytes) {
    const char* from = bytes.data();
    for (std::size_t left = bytes.size(); left > 0;) {
      runtime::stop_if_interrupted();
      const ssize_t n = write(stream_, from, left);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(errno);
      from += n;
      left -= std::size_t(n);
    }
  }
  void commit() {
    if (whole_) whole_->commit();
  }

 private:
  [[noreturn]] void fail(int reason) const {
    throw UsageError(fmt::format("{}: cannot be written: {}", name_, std::strerror(reason)));
  }

  std::string name_;
  std::unique_ptr<WholeFile> whole_;
  int stream_ = -1;
};

void add(Bytes& bytes, const char* text, std::size_t size) { bytes.insert(bytes.end(), text, text + size); }

Bytes header_of(Format format, std::size_t rows, const std::string& name) {
  std::string text;
  if (format == Format::csv) {
    text = fmt::format("point,{}\n", name);
  } else {
    const std::uint16_t probe = 1;
    const bool little = *reinterpret_cast<const unsigned char*>(&probe) == 1;
    std::string header = fmt::format("{{'descr': '{}f8', 'fortran_order': False, 'shape': ({}, 2), }}",
                                     little ? '<' : '>', rows);
    header.append(64 - (10 + header.size() + 1) % 64, ' ');
    header += '\n';
    text.assign("\x93NUMPY\x01\x00", 8);
    text += char(header.size() & 0xff);
    text += char(header.size() >> 8);
    text += header;
  }
  Bytes bytes;
  add(bytes, text.data(), text.size());
  return bytes;
}

void add_rows(Format format, const double* points, const double* densities, std::int64_t n, Bytes& bytes) {
  if (format == Format::npy) {
    bytes.resize(std::size_t(n) * 2 * sizeof(double));
    auto* const rows = reinterpret_cast<double*>(bytes.data());  // aligned: it begins an allocation
    for (std::int64_t i = 0; i < n; ++i) {
      rows[2 * i] = points[i];
      rows[2 * i + 1] = densities[i];
    }
    return;
  }
  constexpr std::size_t longest = 64;  // two numbers of at most 24 characters and their ends
  bytes.resize(std::size_t(n) * longest);
  char* at = bytes.data();
  for (std::int64_t i = 0; i < n; ++i) {
    at = std::to_chars(at, at + 30, points[i]).ptr;
    *at++ = ',';
    at = std::to_chars(at, at + 30, densities[i]).ptr;
    *at++ = '\n';
  }
  bytes.resize(std::size_t(at - bytes.data()));
}

}  // namespace

bool TableTarget::is_standard_output() const {
  struct stat there {
  }, standard{};
  return path == "-" || (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) &&
                         fstat(STDOUT_FILENO, &standard) == 0 && there.st_dev == standard.st_dev &&
                         there.st_ino == standard.st_ino);
}

TableTarget table_target(const std::string& path, const std::string& asked, Format of_input) {
  TableTarget target{path, of_input};
  const bool npy = runtime::ends_with(path, ".npy"), csv = runtime::ends_with(path, ".csv");
  if (!asked.empty())
    target.format = asked == "npy" ? Format::npy : Format::csv;
  else if (npy || csv)
    target.format = npy ? Format::npy : Format::csv;
  else if (path != "-")
    throw UsageError(fmt::format("{}: the output is .npy or .csv; name it so, or give --format", path));
  if ((npy && target.format == Format::csv) || (csv && target.format == Format::npy))
    throw UsageError(fmt::format("{}: --format {} writes something else than the name says", path, asked));
  if (path == "-" && target.format == Format::npy && isatty(STDOUT_FILENO))
    throw UsageError("standard output is a terminal, and .npy is no text; give --format csv or a file");
  return target;
}

void require_writable(const TableTarget& target) {
  struct stat there {};
  if (target.path == "-") return;
  const bool exists = stat(target.path.c_str(), &there) == 0;
  const auto slash = target.path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.path.substr(0, slash + 1);
  const std::string& entered = exists && !S_ISREG(there.st_mode) ? target.path : folder;
  if (exists && S_ISDIR(there.st_mode)) errno = EISDIR;
  if ((exists && S_ISDIR(there.st_mode)) || access(entered.c_str(), W_OK) != 0)
    throw UsageError(fmt::format("{}: cannot be written: {}", target.name(), std::strerror(errno)));
}

void write_table(const TableTarget& target, Values points, Values densities, const std::string& name,
                 const std::function<void(double)>& reached) {
  Output output(target);
  constexpr std::int64_t block = 1 << 16;  // rows that one thread converts and writes
  const auto m = std::int64_t(points.size());
  Bytes bytes = header_of(target.format, points.size(), name);
  output.sequential() ? output.append(bytes) : output.write_at(bytes, 0);
  auto offset = std::int64_t(bytes.size());
  runtime::FirstFailure failure;
#pragma omp parallel
  {
    Bytes rows;
#pragma omp for ordered schedule(dynamic, 1)
    for (std::int64_t first = 0; first < m; first += block) {
      const std::int64_t count = std::min(block, m - first);
      failure.guard([&] {
        runtime::stop_if_interrupted();
        add_rows(target.format, points.data() + first, densities.data() + first, count, rows);
      });
      std::int64_t at = 0;
#pragma omp ordered
      {
        at = offset;
        offset += std::int64_t(rows.size());
        if (output.sequential()) failure.guard([&] { output.append(rows); });
      }
      if (!output.sequential()) failure.guard([&] { output.write_at(rows, at); });
      if (reached && omp_get_thread_num() == 0 && m > block)
        failure.guard([&] { reached(double(first + count)); });
    }
  }
  failure.rethrow();
  output.commit();
}

}  // namespace parity::io
