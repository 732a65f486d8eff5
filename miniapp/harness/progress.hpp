// SPDX-License-Identifier: BSD-3-Clause
// What runs, k of n, elapsed and remaining time; on a terminal only, so that captured output stays clean.
#pragma once
#include <chrono>
#include <string>

namespace parity::harness {

class Progress {
 public:
  /// Shows itself on standard error when that is a terminal and 'quiet' is not asked for.
  explicit Progress(int total, bool quiet = false);
  ~Progress();
  /// Announces the next piece of work. 'done' of 'total' pieces are finished.
  void update(int done, const std::string& what);
  void clear();

 private:
  bool shown_;
  int total_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace parity::harness
