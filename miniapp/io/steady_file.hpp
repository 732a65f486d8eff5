// SPDX-License-Identifier: BSD-3-Clause
// Whether a file is written to while it is read. HDF5 gives zeros for what a writer has cut off meanwhile,
// and nothing else would tell them from data.
#pragma once
#include <ctime>
#include <string>

namespace parity::io {

class SteadyFile {
 public:
  /// file: an open descriptor, which stays the caller's; name: for messages.
  SteadyFile(int file, std::string name);
  ~SteadyFile();
  SteadyFile(const SteadyFile&) = delete;
  SteadyFile& operator=(const SteadyFile&) = delete;
  /// Throws runtime::UsageError where a regular file has another size or time of writing than before.
  void require_unchanged() const;

 private:
  struct State {
    bool regular = false;
    long long size = 0;
    timespec written{};
  };
  State state() const;

  int file_ = -1;
  std::string name_;
  State before_;
};

}  // namespace parity::io
