// SPDX-License-Identifier: BSD-3-Clause
// Measures a quantity of a launch variant, and checks that the samples measure that quantity.
#pragma once
#include <memory>
#include <vector>

#include "harness/trial.hpp"
#include "launch/quantity.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/host_array.hpp"

namespace parity::launch {

/// Memory for events that copy or compute, on the variant's device, and the check of the events' output.
class Buffers {
 public:
  /// Two arrays of 'words' words; check_memory() checks beforehand that they fit.
  Buffers(bool on_device, std::int64_t words);
  /// Writes the input and poisons the output.
  void fill();
  /// Work that copies one array to the other.
  Work work() const;
  /// Largest relative deviation of the output from a copy of the input in 'words' words; infinite for NaN.
  double error(std::int64_t words) const;

 private:
  std::int64_t words_;
  std::unique_ptr<runtime::DeviceMemory> device_;
  std::unique_ptr<runtime::HostArray<float>> host_;
  float* base_ = nullptr;
};

/// Shared by the trials of one problem.
struct Bench {
  double device_ticks = 0;  ///< of the device's clock per second; the device's variants share one clock
};

/// Measures the quantity. start() first checks the number of events that ran and their output. finish()
/// injects two delays in turn, and the quantity must grow by their difference, within 5 % (or 0.25 us, if
/// that is more; 75 % if units sleep) or within its interval. Since this compares times, a failure in all
/// three turns gives the result a caveat; the result still counts as right.
std::unique_ptr<harness::Trial> launch_trial(const Problem& problem, const Entry& entry,
                                             std::shared_ptr<Bench> bench);

/// Compares the events of one sample of few events with those that ran, by the quantity's own method.
harness::Verdict count_events(Probe& probe, const Entry& entry, const Quantity& quantity,
                              const Problem& problem, double ticks_per_second = 1e9, const Work& work = {});

/// Compares an injected delay (seconds) with the recovered ones. Fails unless the median is within the
/// tolerance or, if the interval is narrower than the delay, the interval's nearest end is.
harness::Verdict judge(const std::vector<double>& recovered, double injected, double tolerance = 0.05);

}  // namespace parity::launch
