// SPDX-License-Identifier: BSD-3-Clause
// A load that takes energy and nothing else: arithmetic in registers, the same work each time.
#pragma once
#include <memory>

namespace parity::runtime {

/// Some milliseconds of arithmetic on every core or multiprocessor.
class Burner {
 public:
  virtual ~Burner() = default;
  /// Starts one unit of work beside whatever else runs: on a GPU in a stream of its own. On a host the call
  /// is the work.
  virtual void start() = 0;
  /// Until all that was started is done.
  virtual void wait() = 0;
  void burn() { start(), wait(); }
};

/// By all OpenMP threads.
std::unique_ptr<Burner> host_burner();
/// By the GPU in use; null without one.
std::unique_ptr<Burner> device_burner();

}  // namespace parity::runtime
