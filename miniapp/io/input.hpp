// SPDX-License-Identifier: BSD-3-Clause
// The bytes of an input: of a file in place, of a pipe or a device read to the end.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/steady_file.hpp"
#include "runtime/numbers.hpp"

namespace parity::io {

using Bytes = std::vector<char, runtime::Untouched<char>>;

class Input {
 public:
  /// "-" is standard input. Throws runtime::UsageError that names the file when it cannot be read, and when a
  /// pipe holds more than memory does.
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }  ///< for messages
  std::int64_t size() const { return size_; }
  /// Copies some bytes, from any thread. Throws when the file has become shorter.
  void read(void* to, std::size_t bytes, std::int64_t offset) const;
  /// All of it, by all threads; a pipe's bytes are given away.
  Bytes take();
  /// Throws runtime::UsageError where the file was written to meanwhile.
  void require_unchanged() const { steady_->require_unchanged(); }

 private:
  void read_stream();

  std::string name_;
  int file_ = -1;
  std::optional<SteadyFile> steady_;
  bool stream_ = false;
  std::int64_t size_ = 0;
  std::vector<Bytes> blocks_;  ///< of a stream; all but the last are full
};

}  // namespace parity::io
