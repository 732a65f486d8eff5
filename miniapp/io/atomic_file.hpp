// SPDX-License-Identifier: BSD-3-Clause
// An output file that appears whole or not at all.
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/messages.hpp"

namespace parity::io {

/// Writes a temporary file next to its target; commit() makes it durable and renames it, otherwise it is
/// removed. If the target is a symbolic link, the link stays and its target is replaced; a message lists the
/// properties that cannot be kept. "-" (standard output), /dev/stdout, pipes and character devices are
/// written directly, in order only. If the file is standard output, later prints to standard output go to
/// standard error.
class AtomicFile {
 public:
  /// Throws runtime::UsageError if the target cannot be written.
  explicit AtomicFile(const std::string& target);
  /// Opens the temporary file that another process made for this target; that process will rename it. Throws
  /// runtime::UsageError if it cannot be opened.
  AtomicFile(const std::string& target, const std::string& temporary);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Path of the temporary file. Throws runtime::UsageError for a stream: a library that asks needs a real
  /// file.
  const std::string& path() const;
  /// The same path, for the processes that write parts of the file.
  const std::string& temporary() const { return path(); }
  /// True if bytes go out in order, as to a pipe, so that pwrite cannot be used.
  bool is_stream() const { return stream_; }
  /// Writes all bytes at an offset; throws runtime::UsageError (disk full, ...).
  void write_at(const void* data, std::size_t bytes, std::int64_t offset);
  /// Copies a file except for the holes, [begin, end) each, which the caller is about to write.
  void copy_from(const std::string& path, std::vector<std::pair<std::int64_t, std::int64_t>> holes);
  /// Makes the written bytes durable.
  void flush();
  void commit();

 private:
  void open_stream(int file);
  void open_beside(const std::string& resolved);
  /// Copies group, mode, access list and attributes from the user's own file that will be replaced.
  void keep_rights(const std::string& path, const struct stat& there);
  [[noreturn]] void fail(const std::string& why) const;

  std::string target_;    ///< as the user gave it
  std::string resolved_;  ///< with symbolic links resolved
  std::string temporary_;
  std::vector<std::string> lost_;  ///< properties of the replaced file that are not kept
  int file_ = -1;
  bool stream_ = false, joined_ = false;
  std::int64_t written_ = 0;  ///< bytes, to a stream
};

/// Why no file could be made at 'path'; number: errno of the attempt. Names a missing or inaccessible folder.
std::string why_not_made(const std::string& path, int number);

/// Throws runtime::UsageError if another user put the file into a folder where all may write, such as /tmp: a
/// link there chooses what an output replaces (fs.protected_symlinks).
void require_trusted(const std::string& path);

/// True if this output name means the process's standard output ("-", /dev/stdout, ...).
bool is_standard_output(const std::string& target);

/// True if this output can only be appended to: standard output, a pipe, a device.
bool is_stream(const std::string& target);

/// True if writing 'output' would replace the regular file that 'input' names, even by another name, or that
/// standard input ("-") reads.
bool is_same_file(const std::string& input, const std::string& output);

// Checks of files that several processes read or write in parts: a pipe has no parts.

/// Throws runtime::UsageError for standard input and for anything but a regular file, without opening it:
/// that would wait for a pipe's other end.
void require_shareable_input(const std::string& path);
/// The same for standard output and for outputs that can only be appended to.
void require_shareable_output(const std::string& path);

/// Rank 0 makes the file; the others join it by its temporary().
template <class File>
std::unique_ptr<File> open_on_all_ranks(
    const std::function<std::unique_ptr<File>()>& make,
    const std::function<std::unique_ptr<File>(const std::string& temporary)>& join) {
  const bool leads = runtime::rank_info().rank == 0;
  std::unique_ptr<File> file;
  runtime::collective_or_throw([&] {
    if (leads) file = make();
  });
  const std::string temporary =
      runtime::broadcast(leads && runtime::several_ranks() ? file->temporary() : "");
  runtime::collective_or_throw([&] {
    if (!leads) file = join(temporary);
  });
  return file;
}

/// The output appears once every rank's part is on the disk.
template <class File>
void commit_on_all_ranks(File& file) {
  const bool leads = runtime::rank_info().rank == 0;
  if (runtime::several_ranks()) runtime::collective_or_throw([&] { file.flush(); });
  runtime::collective_or_throw([&] {
    if (leads) file.commit();
  });
  if (!leads) file.commit();
}

}  // namespace parity::io
