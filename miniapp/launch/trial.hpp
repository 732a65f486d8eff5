// SPDX-License-Identifier: BSD-3-Clause
// A launch variant at work on a quantity: its sampler, and the checks that it measures what it says.
#pragma once
#include <memory>
#include <vector>

#include "harness/trial.hpp"
#include "launch/agreement.hpp"

namespace parity::launch {

/// What the trials of one problem share.
struct Bench {
  double device_ticks = 0;  ///< of the device's clock a second; one clock for all variants of the device
  double host_yardstick =
      0;  ///< seconds of a fixed piece of host arithmetic: how fast the host is at the moment
  std::unique_ptr<Tracer> tracer;  ///< for variants on a device
  std::string no_tracer;           ///< why there is none
};
/// Takes the host's yardstick and looks for a tracer, where one is wanted.
std::shared_ptr<Bench> make_bench(bool trace = true);

/// Its samples are the quantity. Before them the number of events that ran, and what they wrote. After them
/// it is held against every instrument that there is (agreement.hpp), and a known delay, injected where the
/// quantity must grow by it on a clock of its own, against what came back (5 %, or the interval of what came
/// back; 75 % where units sleep). finish() throws runtime::CannotRunError where the machine's noise leaves
/// one of them open.
std::unique_ptr<harness::Trial> launch_trial(const Problem& problem, const Entry& entry,
                                             std::shared_ptr<Bench> bench);

/// What the instruments say of the quantity, without samples; for tables.
std::vector<Agreement> instruments_on(const Problem& problem, const Entry& entry, Bench& bench);

/// An injected delay (seconds) against what came back of it.
struct Recovered {
  harness::Verdict verdict;
  /// Whether the interval is narrow enough to tell; where it is not, and holds the delay, nobody can say.
  bool clear = true;
};
Recovered judge(const std::vector<double>& recovered, double injected, double tolerance = 0.05);

}  // namespace parity::launch
