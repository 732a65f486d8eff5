// SPDX-License-Identifier: BSD-3-Clause
// An output file that appears whole or not at all.
#pragma once
#include <cstdint>
#include <string>

namespace parity::io {

/// A temporary file beside its target; commit() makes it durable and renames it, otherwise it vanishes. A
/// symbolic link as target stays, and what it leads to is replaced. "-" (standard output), /dev/stdout, pipes
/// and character devices are written as they come: they take bytes in order only. From then on, what is
/// printed to standard output goes to standard error if the file is standard output.
class WholeFile {
 public:
  /// Throws runtime::UsageError when the target cannot be written.
  explicit WholeFile(const std::string& target);
  /// The temporary file that another process made for this target: this one writes into it, too, and leaves
  /// its name to the other. Throws runtime::UsageError where it cannot be opened.
  WholeFile(const std::string& target, const std::string& temporary);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// Of the temporary file. Throws runtime::UsageError for a stream: a library that asks needs a real file.
  const std::string& path() const;
  /// The same, for the processes that write parts of it.
  const std::string& temporary() const { return path(); }
  int descriptor() const { return file_; }
  /// Whether bytes go out in order, as to a pipe, so that pwrite cannot be used.
  bool is_stream() const { return stream_; }
  /// Writes all bytes at an offset; throws runtime::UsageError (disk full, ...).
  void write_at(const void* data, std::size_t bytes, std::int64_t offset);
  /// Makes durable what was written.
  void flush();
  void commit();

 private:
  void open_stream(int file);
  void open_beside(const std::string& resolved);
  [[noreturn]] void fail(const std::string& why) const;

  std::string target_;    ///< as the user gave it
  std::string resolved_;  ///< where the links lead
  std::string temporary_;
  int file_ = -1;
  bool stream_ = false, joined_ = false;
  std::int64_t written_ = 0;  ///< to a stream
};

/// Whether this output name means the process's standard output ("-", /dev/stdout, ...).
bool is_standard_output(const std::string& target);

/// Whether bytes can only be appended to what this output name means: standard output, a pipe, a device.
bool is_stream(const std::string& target);

/// Whether writing 'output' would replace the regular file that 'input' names, by whatever name, or that
/// standard input ("-") reads.
bool is_same_file(const std::string& input, const std::string& output);

}  // namespace parity::io
