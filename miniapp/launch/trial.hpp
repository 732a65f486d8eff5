// SPDX-License-Identifier: BSD-3-Clause
// A launch variant at work on a figure: its sampler, and the check that it measures what it says.
#pragma once
#include <memory>
#include <vector>

#include "harness/trial.hpp"
#include "launch/quantity.hpp"

namespace parity::launch {

/// What the trials of one problem share.
struct Bench {
  double device_ticks = 0;  ///< of the device's clock a second; one clock for all variants of the device
  double host_yardstick =
      0;  ///< seconds of a fixed piece of host arithmetic: how fast the host is at the moment
};
/// Takes the host's yardstick.
std::shared_ptr<Bench> make_bench();

/// Its samples are the figure. After them a known delay, injected where the figure must grow by it, is held
/// against what came back (5 %, or the interval of what came back; 75 % where units sleep); before them the
/// number of events that ran, and what they wrote.
std::unique_ptr<harness::Trial> launch_trial(const Problem& problem, const Entry& entry,
                                             std::shared_ptr<Bench> bench);

/// Holds what came back against what was injected. 'recovered': differences of samples with the larger and
/// the smaller delay.
harness::Verdict judge(const std::vector<double>& recovered, double injected, double tolerance = 0.05);

}  // namespace parity::launch
