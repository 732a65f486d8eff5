// SPDX-License-Identifier: BSD-3-Clause
// A launch variant at work on a quantity: its sampler, and the checks that it measures what it says.
#pragma once
#include <memory>
#include <vector>

#include "harness/trial.hpp"
#include "launch/quantity.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/host_array.hpp"

namespace parity::launch {

/// Memory for events that copy or compute, where the variant's memory is, and the check of what they wrote.
class Buffers {
 public:
  /// Two arrays of 'words' words; check_memory() says beforehand whether they fit.
  Buffers(bool on_device, std::int64_t words);
  /// Puts the input in place and poisons the output.
  void fill();
  /// A copy from one array to the other.
  Work work() const;
  /// Largest relative deviation of the output from a copy's in 'words' words; infinite for NaN.
  double error(std::int64_t words) const;

 private:
  std::int64_t words_;
  std::unique_ptr<runtime::DeviceMemory> device_;
  std::unique_ptr<runtime::HostArray<float>> host_;
  float* base_ = nullptr;
};

/// What the trials of one problem share.
struct Bench {
  double device_ticks = 0;  ///< of the device's clock a second; one clock for all variants of the device
};

/// Its samples are the quantity. Before them the number of events that ran is checked, and what they wrote.
/// After them two delays are injected in turn where the quantity must grow by them: their difference must
/// come back within 5 % (at most 0.25 us are noise; 75 % where units sleep), or within its interval. That is
/// a time: where it does not come back in any of three turns, the row gets a caveat, and is not wrong.
std::unique_ptr<harness::Trial> launch_trial(const Problem& problem, const Entry& entry,
                                             std::shared_ptr<Bench> bench);

/// Events of one sample of few events against those that ran, by the quantity's own method.
harness::Verdict count_events(Probe& probe, const Entry& entry, const Quantity& quantity,
                              const Problem& problem, double ticks_per_second = 1e9, const Work& work = {});

/// An injected delay (seconds) against what came back of it. It fails unless the median is within the
/// tolerance, or the interval where that is narrower than the delay.
harness::Verdict judge(const std::vector<double>& recovered, double injected, double tolerance = 0.05);

}  // namespace parity::launch
