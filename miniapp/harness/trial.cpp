// SPDX-License-Identifier: BSD-3-Clause
#include "harness/trial.hpp"

#include "runtime/host_clock.hpp"
#include "runtime/messages.hpp"

namespace parity::harness {
namespace {

template <class F>
double seconds_of(const F& work) {
  const double start = runtime::host_seconds();
  work();
  return runtime::host_seconds_since(start);
}

/// Seconds of a run in which what the two clocks differ by is lost: the device's times it once in a start.
constexpr double long_run = 0.02;

class ExecutionTrial : public Trial {
 public:
  explicit ExecutionTrial(ExecutionSteps steps) : steps_(std::move(steps)) {}

  Verdict start(Measurement& row) override {
    row.setup_seconds = alone([&] { execution_ = steps_.make(); });
    row.load_seconds = load();
    row.first_seconds = run_once();
    if (steps_.prepare) {
      // The plain run above loaded the kernels, so that only capture and instantiation are timed.
      row.capture_seconds = alone([&] { steps_.prepare(*execution_), execution_->synchronise(); });
      load();
      run_once();
    }
    row.store_seconds = store();
    if (const double share = execution_->occupancy(); share > 0)
      row.metrics.push_back({"occupancy", share, "1", Better::neither});
    return check();
  }
  void warm_up() override {
    load();
    run_once();
  }
  bool run_again() override {
    run_once();
    return true;
  }
  Sample sample() override {
    Sample s;
    load();
    s.host = run_once();
    // The device's clock would be part of what the host waits for: it times a run of its own.
    runtime::DeviceClock* const device = execution_->device_clock();
    if (!device || (s.host > long_run && device_timed_)) return s;
    device_timed_ = true;
    load();
    together([&] {
      device->start();
      execution_->advance();
      device->stop();
      execution_->synchronise();
      s.device = device->seconds();
    });
    s.device = runtime::largest(s.device);
    return s;
  }
  Verdict finish(Measurement&) override {
    store();
    return check();
  }

 private:
  // Seconds are those of the slowest rank.
  double alone(const std::function<void()>& work) {
    double seconds = 0;
    runtime::agreed([&] { seconds = seconds_of(work); });
    return runtime::largest(seconds);
  }
  /// Begins on all ranks at once.
  double together(const std::function<void()>& work) {
    double seconds = 0;
    const auto timed = [&] { seconds = seconds_of(work); };
    runtime::barrier();
    steps_.linked ? runtime::linked(timed) : runtime::agreed(timed);
    return runtime::largest(seconds);
  }
  double load() {
    return alone([&] {
      steps_.load(*execution_);
      execution_->synchronise();
    });
  }
  double run_once() {
    return together([&] {
      execution_->advance();
      execution_->synchronise();
    });
  }
  double store() {
    return alone([&] { steps_.store(*execution_); });
  }
  /// Ranks hand each other their parts for it.
  Verdict check() {
    Verdict verdict;
    runtime::linked([&] { verdict = steps_.check(); });
    return verdict;
  }

  ExecutionSteps steps_;
  std::unique_ptr<Execution> execution_;
  bool device_timed_ = false;
};

}  // namespace

std::unique_ptr<Trial> execution_trial(ExecutionSteps steps) {
  return std::make_unique<ExecutionTrial>(std::move(steps));
}

}  // namespace parity::harness
