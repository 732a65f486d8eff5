// SPDX-License-Identifier: BSD-3-Clause
// Inputs of commands: a file at any offset, a pipe or a device in order or to its end.
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/numbers.hpp"

namespace parity::io {

using Bytes = std::vector<char, runtime::Untouched<char>>;

constexpr std::int64_t unknown_size = -1;  ///< size of a pipe

class InputFile {
 public:
  /// "-" is standard input. Throws runtime::UsageError naming the file if it cannot be read.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }  ///< for messages
  /// True if any thread can read at any offset; otherwise bytes come in order.
  bool seekable() const { return seekable_; }
  std::int64_t size() const { return seekable_ ? before_.st_size : unknown_size; }
  bool is_terminal() const;
  int descriptor() const { return file_; }
  /// Returns the number of bytes read. Throws runtime::Interrupted after a signal while it waits.
  std::size_t read_some(void* to, std::size_t bytes, std::int64_t offset) const;
  /// The whole input, from its beginning.
  std::string text() const;
  /// Throws runtime::UsageError if there are fewer bytes.
  void read(void* to, std::size_t bytes, std::int64_t offset) const;
  /// Throws runtime::UsageError if a regular file's size or modification time has changed since it was
  /// opened: HDF5 returns zeros for data that a writer has cut off.
  void require_unchanged() const;

 private:
  std::string name_;
  int file_ = -1;
  bool seekable_ = false;
  struct stat before_ {};
};

/// The whole text of a small file, such as a plan or records. Throws runtime::UsageError for a device; with
/// of_folder (a file found in a folder of results) for anything but a regular file, such as a link.
std::string text_of(const std::string& path, bool of_folder = false);

/// All bytes of an input; those of a pipe or a device are kept in memory.
class Input {
 public:
  /// Throws like InputFile, and for an empty input and a pipe that holds more than memory does.
  explicit Input(const std::string& path);
  const std::string& name() const { return file_.name(); }
  std::int64_t size() const { return size_; }
  /// Copies some bytes, from any thread. Throws if the file has become shorter.
  void read(void* to, std::size_t bytes, std::int64_t offset) const;
  /// Returns all of it, copied by all threads; a pipe's bytes are moved out.
  Bytes take();
  void require_unchanged() const { file_.require_unchanged(); }

 private:
  InputFile file_;
  std::int64_t size_ = 0;
  std::vector<Bytes> blocks_;  ///< of a stream; all but the last are full
};

}  // namespace parity::io
