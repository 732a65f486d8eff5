// SPDX-License-Identifier: BSD-3-Clause
// A CUDA stream for code that must not include CUDA.
#pragma once
#include <optional>
#include <string>

namespace parity::runtime {

/// Why there is no native CUDA in this build; nullopt where there is.
std::optional<std::string> why_no_cuda();

/// A non-blocking stream (a cudaStream_t), or null where none is wanted.
class Stream {
 public:
  /// Throws where a stream is wanted without CUDA.
  explicit Stream(bool wanted = true);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void* get() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

/// What is put into 'later' from now on begins after all that is in 'earlier'. Both may be captured.
void let_stream_wait(void* later, void* earlier);

}  // namespace parity::runtime
