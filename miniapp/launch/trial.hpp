// SPDX-License-Identifier: BSD-3-Clause
// A launch variant at work on a quantity: its sampler, and the checks that it measures what it says.
#pragma once
#include <memory>
#include <vector>

#include "harness/trial.hpp"
#include "launch/quantity.hpp"

namespace parity::launch {

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

/// Rank 0 has the launch study's own trial, of rounds as events; the others take part in them. All ranks call
/// the trial's functions together. A rank that cannot make its rounds ends the row on all; what fails in a
/// round ends all ranks.
std::unique_ptr<harness::Trial> message_trial(const Problem& problem, const Entry& entry,
                                              std::shared_ptr<Bench> bench);

}  // namespace parity::launch
