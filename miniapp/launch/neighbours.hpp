// SPDX-License-Identifier: BSD-3-Clause
// Others on this machine while checks take their samples: a process that loses its processor for a time slice
// in every second sample gets a delay of 20 us back as one of 180, and is not wrong.
#pragma once
#include <optional>
#include <string>

#include "runtime/disturbance.hpp"

namespace parity::launch {

class Neighbours {
 public:
  Neighbours() : stolen_(runtime::stolen_seconds()) {}
  /// Takes a sample; whether this process kept its processors meanwhile.
  template <class Sample>
  bool leave_alone(const Sample& sample) {
    const std::int64_t before = runtime::times_preempted();
    sample();
    const bool alone = runtime::times_preempted() == before;
    ++samples_;
    disturbed_ += !alone;
    return alone;
  }
  /// Why a bad answer may be theirs; empty where it is not. alone: whether it comes only of samples in which
  /// this process kept its processors. scattered: whether they lie far apart. What a hypervisor takes cannot
  /// be told from sample to sample: it makes some of them longer, and excuses no answer that all agree on.
  std::string excuse(bool alone, bool scattered) const;

 private:
  std::optional<double> stolen_;
  int samples_ = 0, disturbed_ = 0;
};

}  // namespace parity::launch
