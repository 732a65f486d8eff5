// SPDX-License-Identifier: BSD-3-Clause
// A CUDA stream for code that must not include CUDA.
#pragma once
#include <optional>
#include <string>

namespace parity::runtime {

/// The reason why this build has no native CUDA; nullopt if it has.
std::optional<std::string> why_no_cuda();

/// A non-blocking stream (a cudaStream_t), or null if none is wanted.
class Stream {
 public:
  /// Throws if a stream is wanted without CUDA.
  explicit Stream(bool wanted = true);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void* get() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

/// Work enqueued on 'later' from now on begins after all work now on 'earlier'. Both may be captured.
void let_stream_wait(void* later, void* earlier);

}  // namespace parity::runtime
