// SPDX-License-Identifier: BSD-3-Clause
// One choice on one problem at work: what the rounds drive.
#pragma once
#include <functional>
#include <memory>

#include "harness/measurement.hpp"

namespace parity::harness {

struct Sample {
  double host = 0;     ///< seconds on the host's steady clock
  double device = -1;  ///< another run on the device's own; negative where there is none
};

class Trial {
 public:
  virtual ~Trial() = default;
  /// Makes ready, runs once and judges: the first warm-up. Fills in what making ready took. Throws
  /// runtime::CannotRunError where the device turns out not to be able.
  virtual Verdict start(Measurement& row) = 0;
  /// One sample. Throws runtime::CannotRunError likewise.
  virtual Sample sample() = 0;
  /// The same without one.
  virtual void warm_up() { sample(); }
  /// Runs once more on whatever the run before left, for energy, which needs nothing right but the work.
  /// False where that is not what the trial does; nothing ran then.
  virtual bool run_again() { return false; }
  /// Judges after the last sample, so that a race that shows under load is caught.
  virtual Verdict finish(Measurement& row) = 0;
};

/// How an Execution becomes a trial: the study says how data goes in and out and what is right.
struct ExecutionSteps {
  std::function<std::unique_ptr<Execution>()> make;
  std::function<void(Execution&)> load;     ///< untimed: the input back in place, everything else poisoned
  std::function<void(Execution&)> prepare;  ///< captures and instantiates, after a plain run; or empty
  std::function<void(Execution&)> store;    ///< fetches the result
  std::function<Verdict()> check;           ///< judges what store fetched, and poisons it
  bool linked = false;                      ///< whether ranks wait for each other in a run
};
std::unique_ptr<Trial> execution_trial(ExecutionSteps steps);

/// The same in terms of a study's own interface V of a variant.
template <class V>
struct StepsOf {
  std::function<std::unique_ptr<V>()> make;
  std::function<void(V&)> load, prepare, store;
  std::function<Verdict()> check;
  bool linked = false;
};
template <class V>
std::unique_ptr<Trial> execution_trial(StepsOf<V> steps) {
  const auto of_execution = [](std::function<void(V&)> step) -> std::function<void(Execution&)> {
    if (!step) return {};
    return [step = std::move(step)](Execution& e) { step(static_cast<V&>(e)); };
  };
  return execution_trial(ExecutionSteps{
      std::move(steps.make), of_execution(std::move(steps.load)), of_execution(std::move(steps.prepare)),
      of_execution(std::move(steps.store)), std::move(steps.check), steps.linked});
}

}  // namespace parity::harness
