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

/// A temporary file beside its target; commit() makes it durable and renames it, otherwise it vanishes. A
/// symbolic link as target stays, and what it leads to is replaced; what cannot be kept of it is said. "-"
/// (standard output), /dev/stdout, pipes and character devices are written as they come: they take bytes in
/// order only. From then on, what is printed to standard output goes to standard error if the file is
/// standard output.
class AtomicFile {
 public:
  /// Throws runtime::UsageError when the target cannot be written.
  explicit AtomicFile(const std::string& target);
  /// The temporary file that another process made for this target: this one writes into it, too, and leaves
  /// its name to the other. Throws runtime::UsageError where it cannot be opened.
  AtomicFile(const std::string& target, const std::string& temporary);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Of the temporary file. Throws runtime::UsageError for a stream: a library that asks needs a real file.
  const std::string& path() const;
  /// The same, for the processes that write parts of it.
  const std::string& temporary() const { return path(); }
  /// Whether bytes go out in order, as to a pipe, so that pwrite cannot be used.
  bool is_stream() const { return stream_; }
  /// Writes all bytes at an offset; throws runtime::UsageError (disk full, ...).
  void write_at(const void* data, std::size_t bytes, std::int64_t offset);
  /// All bytes of a file but those of the holes, [begin, end) each, which the caller is about to write.
  void copy_from(const std::string& path, std::vector<std::pair<std::int64_t, std::int64_t>> holes);
  /// Makes durable what was written.
  void flush();
  void commit();

 private:
  void open_stream(int file);
  void open_beside(const std::string& resolved);
  /// Group, mode, access list and attributes of the user's own file that is to be replaced.
  void keep_rights(const std::string& path, const struct stat& there);
  [[noreturn]] void fail(const std::string& why) const;

  std::string target_;    ///< as the user gave it
  std::string resolved_;  ///< where the links lead
  std::string temporary_;
  std::vector<std::string> lost_;  ///< what the replaced file had
  int file_ = -1;
  bool stream_ = false, joined_ = false;
  std::int64_t written_ = 0;  ///< to a stream
};

/// Why no file could be made under a name; number: errno of the attempt. A folder that is missing or closed
/// is named.
std::string why_not_made(const std::string& path, int number);

/// Throws runtime::UsageError for what another user put into a folder where all may write, such as /tmp: a
/// link there chooses what an output replaces (fs.protected_symlinks).
void require_trusted(const std::string& path);

/// Whether this output name means the process's standard output ("-", /dev/stdout, ...).
bool is_standard_output(const std::string& target);

/// Whether bytes can only be appended to what this output name means: standard output, a pipe, a device.
bool is_stream(const std::string& target);

/// Whether writing 'output' would replace the regular file that 'input' names, by whatever name, or that
/// standard input ("-") reads.
bool is_same_file(const std::string& input, const std::string& output);

// Files of which several processes read or write a part each: a pipe has no parts.

/// Throws runtime::UsageError for standard input and for what is no regular file, without opening it: that
/// would wait for a pipe's other end.
void require_shareable_input(const std::string& path);
/// The same for standard output and for what can only be appended to.
void require_shareable_output(const std::string& path);

/// What rank 0 makes and the others join, who are told its temporary().
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

/// The output appears when every rank's part of it is on the disk.
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
