// SPDX-License-Identifier: BSD-3-Clause
// One choice on one problem at work: what the rounds drive.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/measurement.hpp"
#include "harness/variant.hpp"

namespace parity::harness {

class EnergyProbe;

/// What a user's words select from a registry: a variant, how it is launched, a tuning.
struct Choice {
  const Entry* entry = nullptr;
  std::size_t mechanism = 0;        ///< place in the study's list; 0, the first, is the plain one
  std::string mechanism_name = {};  ///< as a user types it
  Tuning tuning = {};               ///< empty for a variant without one
  bool named = true;                ///< by its whole name, not by a pattern
  bool standard_tuning = false;     ///< nobody asked for another

  /// Kernel and mechanism, "cuda-fused+graph-two"; a plain launch is not named.
  std::string variant() const { return entry->name + (mechanism == 0 ? "" : "+" + mechanism_name); }
  /// With the tuning, as a user types it.
  std::string name() const { return variant() + (tuning.empty() ? "" : "/" + to_string(tuning)); }
};

struct RunOptions {
  int repeats = 32;      ///< samples of each row, of all processes together
  int processes = 5;     ///< processes that they are spread over
  int process = 1;       ///< the one that is measured
  int warmup = 1;        ///< untimed runs of each process before its first sample, the checked one included
  double time_cap = 60;  ///< seconds for the samples of one row, of all processes together

  const EnergyProbe* energy = nullptr;  ///< counts joules of each row that is timed; null: none are wanted

  /// Samples that every row gets, however long they take.
  static constexpr int least_repeats = 9;

  /// Processes that have a sample.
  int processes_needed() const { return std::min(processes, repeats); }
  int repeats_in_process() const { return share(repeats); }
  int least_in_process() const { return std::min(share(least_repeats), repeats_in_process()); }
  double time_cap_in_process() const { return time_cap / processes_needed(); }

 private:
  int share(int samples) const { return (samples + processes_needed() - 1) / processes_needed(); }
};

/// Told what runs next.
using Note = std::function<void(const std::string&)>;

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

/// A trial of an Execution. The study says how it is made, how data goes in and out and what is right.
class ExecutionTrial : public Trial {
 public:
  /// 'linked': whether ranks wait for each other in a run.
  explicit ExecutionTrial(bool linked = false) : linked_(linked) {}
  Verdict start(Measurement& row) override;
  Sample sample() override;
  void warm_up() override;
  bool run_again() override;
  Verdict finish(Measurement& row) override;

 private:
  virtual Execution& make() = 0;                   ///< allocates
  virtual void load() = 0;                         ///< the input back in place, everything else poisoned
  virtual bool prepares() const { return false; }  ///< whether there is something to prepare
  virtual void prepare() {}                        ///< captures and instantiates, after a plain run
  virtual void store() = 0;                        ///< fetches the result
  virtual Verdict check() = 0;                     ///< judges what store fetched, and poisons it

  double together(const std::function<void()>& work);
  double timed_load();
  double run_once();
  double timed_store();
  Verdict judge();

  bool linked_;
  Execution* execution_ = nullptr;
  bool device_timed_ = false;
};

/// One trial for each choice over data that they share: Data<T>(problem) makes input and reference once,
/// TrialOf<T>(data, choice) a trial of a shared pointer to them.
template <class T, template <class> class Data, template <class> class TrialOf, class P>
std::vector<std::unique_ptr<Trial>> trials_in(const P& problem, const std::vector<Choice>& choices) {
  const auto data = std::make_shared<Data<T>>(problem);
  std::vector<std::unique_ptr<Trial>> trials;
  for (const Choice& c : choices) trials.push_back(std::make_unique<TrialOf<T>>(data, c));
  return trials;
}
/// The same in the problem's precision.
template <template <class> class Data, template <class> class TrialOf, class P>
std::vector<std::unique_ptr<Trial>> trials_over(const P& problem, const std::vector<Choice>& choices) {
  return problem.precision == Precision::f32 ? trials_in<float, Data, TrialOf>(problem, choices)
                                             : trials_in<double, Data, TrialOf>(problem, choices);
}

}  // namespace parity::harness
