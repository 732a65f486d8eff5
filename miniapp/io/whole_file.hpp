// SPDX-License-Identifier: BSD-3-Clause
// An output file that appears whole or not at all.
#pragma once
#include <string>

namespace parity::io {

/// A temporary file beside its target; commit() makes it durable and renames it, otherwise it vanishes.
class WholeFile {
 public:
  /// Throws runtime::UsageError when the target cannot be written.
  explicit WholeFile(const std::string& target);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  const std::string& path() const { return temporary_; }
  int descriptor() const { return file_; }
  /// Writes all bytes at an offset; throws runtime::UsageError (disk full, ...).
  void write_at(const void* data, std::size_t bytes, std::int64_t offset);
  void commit();

 private:
  std::string target_, temporary_;
  int file_ = -1;
};

}  // namespace parity::io
