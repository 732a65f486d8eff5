// SPDX-License-Identifier: BSD-3-Clause
// Holds a stream until everything that shall run in it is enqueued, so that the host's pace does not count.
#pragma once
#include <memory>

namespace parity::runtime {

/// A kernel that occupies the stream until release(). A watchdog ends it after some seconds, so that launches
/// that wait for their predecessors cannot hang the program.
class Hold {
 public:
  /// On a cudaStream_t. Throws without CUDA.
  explicit Hold(void* stream, double limit_seconds = 1.0);
  /// Releases.
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  /// Lets the stream go. Throws runtime::CannotRunError when the watchdog did so before.
  void release();

 private:
  class Latch;
  std::unique_ptr<Latch> latch_;
};

}  // namespace parity::runtime
