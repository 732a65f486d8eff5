// SPDX-License-Identifier: BSD-3-Clause
// Times variants against each other: interleaved rounds in rotating order, so that drift hits all of them
// alike.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "study/variant.hpp"

namespace parity::study {

struct RunOptions {
  int repeats = 32;      ///< samples of each variant at most
  int enough = 9;        ///< samples after which a tight interval may end the rounds
  double tight = 0.005;  ///< relative half-width of the median's interval that counts as tight
  int warmup = 1;        ///< untimed advances before the first sample
  double time_cap = 60;  ///< seconds for all rounds of one problem; at least one sample each is always taken
};

/// One variant, prepared and loaded.
struct Candidate {
  std::string label;
  Execution* execution = nullptr;
  std::function<void()> reset;  ///< untimed: the initial field back in place, everything else poisoned
};

struct Samples {
  std::vector<double> host_seconds;    ///< steady clock around advance and synchronise
  std::vector<double> device_seconds;  ///< the device's events around advance; empty on the host
  std::string stop;                    ///< why the rounds ended: "repeats", "tight" or "time cap"
};

/// Runs until every variant has its repeats, all intervals are tight, or the time is used up.
/// before(label) is told what runs next. Throws Interrupted on a signal.
std::vector<Samples> run(const std::vector<Candidate>& candidates, const RunOptions& options,
                         const std::function<void(const std::string&)>& before = {});

}  // namespace parity::study
