// SPDX-License-Identifier: BSD-3-Clause
// Holds a stream until all its work is enqueued, so that the host's enqueue rate does not affect the timing.
#pragma once
#include <memory>

namespace parity::runtime {

/// A kernel that occupies the stream until release(). A watchdog ends it after limit_seconds, so that
/// launches that wait for their predecessors cannot hang the program.
class Hold {
 public:
  /// Occupies a cudaStream_t. Throws without CUDA.
  explicit Hold(void* stream, double limit_seconds = 1.0);
  /// Releases the stream.
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  /// Releases the stream. Throws runtime::CannotRunError if the watchdog already did.
  void release();

 private:
  class Latch;
  std::unique_ptr<Latch> latch_;
};

}  // namespace parity::runtime
