// SPDX-License-Identifier: BSD-3-Clause
// Launches recorded once and started again with one call: a CUDA graph, or Kokkos' graph.
#pragma once

namespace parity::study {

class Recording {
 public:
  virtual ~Recording() = default;
  /// Makes the recording ready to start. Expensive; once, before the first submit.
  virtual void instantiate() = 0;
  /// Brings it to the device, so that the first submit need not; nothing to do where there is no such stage.
  virtual void upload() {}
  /// Starts everything that was recorded; may return before it is done.
  virtual void submit() = 0;
  /// Takes over the arguments of another recording of the same shape, without a new instantiation.
  virtual void become(const Recording& other) = 0;
};

}  // namespace parity::study
