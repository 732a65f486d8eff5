// SPDX-License-Identifier: BSD-3-Clause
// What commands read: a file at any place, a pipe or a device in order or to its end.
#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/numbers.hpp"

namespace parity::io {

using Bytes = std::vector<char, runtime::Untouched<char>>;

constexpr std::int64_t unknown_size = -1;  ///< of a pipe

class InputFile {
 public:
  /// "-" is standard input. Throws runtime::UsageError that names the file when it cannot be read.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }  ///< for messages
  /// Whether bytes can be read at any place and by any thread; otherwise in order.
  bool seekable() const { return seekable_; }
  std::int64_t size() const { return seekable_ ? before_.st_size : unknown_size; }
  bool is_terminal() const;
  int descriptor() const { return file_; }
  /// Returns how many of the bytes there are. Throws runtime::Interrupted after a signal while it waits.
  std::size_t read_some(void* to, std::size_t bytes, std::int64_t offset) const;
  /// All of it, from its beginning.
  std::string text() const;
  /// Throws runtime::UsageError where there are fewer.
  void read(void* to, std::size_t bytes, std::int64_t offset) const;
  /// Throws runtime::UsageError where a regular file has another size or time of writing than at first: HDF5
  /// gives zeros for what a writer has cut off meanwhile.
  void require_unchanged() const;

 private:
  std::string name_;
  int file_ = -1;
  bool seekable_ = false;
  struct stat before_ {};
};

/// All of a small file, such as a plan or records. Throws runtime::UsageError for a device; for what was
/// found in a folder of somebody's results (of_folder) and is no regular file, such as a link.
std::string text_of(const std::string& path, bool of_folder = false);

/// All bytes of an input, those of a pipe or a device in memory.
class Input {
 public:
  /// Throws as InputFile does, and for an empty one and a pipe that holds more than memory does.
  explicit Input(const std::string& path);
  const std::string& name() const { return file_.name(); }
  std::int64_t size() const { return size_; }
  /// Copies some bytes, from any thread. Throws when the file has become shorter.
  void read(void* to, std::size_t bytes, std::int64_t offset) const;
  /// All of it, by all threads; a pipe's bytes are given away.
  Bytes take();
  void require_unchanged() const { file_.require_unchanged(); }

 private:
  InputFile file_;
  std::int64_t size_ = 0;
  std::vector<Bytes> blocks_;  ///< of a stream; all but the last are full
};

}  // namespace parity::io
