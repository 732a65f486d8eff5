// SPDX-License-Identifier: BSD-3-Clause
// A trial: one choice on one problem, which the rounds of measurement drive.
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

/// A selection from a registry by a user's words: a variant, a launch mechanism, a tuning.
struct Choice {
  const Entry* entry = nullptr;
  std::size_t mechanism = 0;        ///< index in the study's list; 0 is the plain one
  std::string mechanism_name = {};  ///< as a user types it
  Tuning tuning = {};               ///< empty for a variant without one
  bool named = true;                ///< selected by its whole name, not by a pattern
  bool standard_tuning = false;     ///< true if the user did not choose a tuning

  /// Kernel and mechanism, "cuda-fused+graph-two"; a plain launch is omitted.
  std::string variant() const { return entry->name + (mechanism == 0 ? "" : "+" + mechanism_name); }
  /// With the tuning, as a user types it.
  std::string name() const { return variant() + (tuning.empty() ? "" : "/" + to_string(tuning)); }
};

struct RunOptions {
  int repeats = 32;      ///< samples of each result, over all processes
  int processes = 5;     ///< processes that share them
  int process = 1;       ///< number of the measured process
  int warmup = 1;        ///< untimed runs of each process before its first sample, including the checked one
  double time_cap = 60;  ///< seconds for the samples of one result, over all processes

  const EnergyProbe* energy = nullptr;  ///< counts joules of each timed result; null: no energy

  /// Minimum number of samples of every result, however long they take.
  static constexpr int least_repeats = 9;

  /// Number of processes that get a sample.
  int processes_needed() const { return std::min(processes, repeats); }
  int repeats_in_process() const { return share(repeats); }
  int least_in_process() const { return std::min(share(least_repeats), repeats_in_process()); }
  double time_cap_in_process() const { return time_cap / processes_needed(); }

 private:
  int share(int samples) const { return (samples + processes_needed() - 1) / processes_needed(); }
};

/// Receives the name of what runs next.
using Note = std::function<void(const std::string&)>;

struct Sample {
  double host = 0;     ///< seconds on the host's steady clock
  double device = -1;  ///< from another run, on the device's clock; negative if there is none
};

class Trial {
 public:
  virtual ~Trial() = default;
  /// Prepares, runs once (the first warm-up) and checks. Fills in the preparation times. Throws
  /// runtime::CannotRunError if the device proves unable.
  virtual Verdict start(Measurement& row) = 0;
  /// Takes one sample. Throws runtime::CannotRunError likewise.
  virtual Sample sample() = 0;
  /// Runs likewise without a sample.
  virtual void warm_up() { sample(); }
  /// Runs once more on the data of the previous run, for energy, which needs only the right work. Returns
  /// false without running if the trial does not support that.
  virtual bool run_again() { return false; }
  /// Checks after the last sample, to catch a race that shows under load.
  virtual Verdict finish(Measurement& row) = 0;
};

/// A trial of an Execution. The study defines how to make it, move data in and out, and check the result.
class ExecutionTrial : public Trial {
 public:
  /// 'linked': true if ranks wait for each other in a run.
  explicit ExecutionTrial(bool linked = false) : linked_(linked) {}
  Verdict start(Measurement& row) override;
  Sample sample() override;
  void warm_up() override;
  bool run_again() override;
  Verdict finish(Measurement& row) override;

 private:
  virtual Execution& make() = 0;                   ///< allocates
  virtual void load() = 0;                         ///< restores the input, poisons everything else
  virtual bool prepares() const { return false; }  ///< true if there is something to prepare
  virtual void prepare() {}                        ///< captures and instantiates, after a plain run
  virtual void store() = 0;                        ///< fetches the result
  virtual Verdict check() = 0;                     ///< checks the fetched result, then poisons it

  double together(const std::function<void()>& work);
  double timed_load();
  double run_once();
  double timed_store();
  Verdict judge();

  bool linked_;
  Execution* execution_ = nullptr;
  bool device_timed_ = false;
};

/// One trial per choice, over shared data: Data<T>(problem) makes input and reference once, TrialOf<T>(data,
/// choice) makes a trial with a shared pointer to them.
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
