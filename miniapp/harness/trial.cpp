// SPDX-License-Identifier: BSD-3-Clause
#include "harness/trial.hpp"

#include "runtime/host_clock.hpp"

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
    row.setup_seconds = seconds_of([&] { execution_ = steps_.make(); });
    row.load_seconds = seconds_of([&] { load(); });
    row.first_seconds = seconds_of([&] { run_once(); });
    if (steps_.prepare) {
      // The plain run above loaded the kernels, so that only capture and instantiation are timed.
      row.capture_seconds = seconds_of([&] { steps_.prepare(*execution_), execution_->synchronise(); });
      steps_.load(*execution_);
      run_once();
    }
    row.store_seconds = seconds_of([&] { steps_.store(*execution_); });
    if (const double share = execution_->occupancy(); share > 0)
      row.metrics.push_back({"occupancy", share, "1", Better::neither});
    return steps_.check();
  }
  void warm_up() override {
    load();
    run_once();
  }
  Sample sample() override {
    Sample s;
    load();
    s.host = seconds_of([&] { run_once(); });
    // The device's clock would be part of what the host waits for: it times a run of its own.
    runtime::DeviceClock* const device = execution_->device_clock();
    if (!device || (s.host > long_run && device_timed_)) return s;
    device_timed_ = true;
    load();
    device->start();
    execution_->advance();
    device->stop();
    execution_->synchronise();
    s.device = device->seconds();
    return s;
  }
  Verdict finish(Measurement&) override {
    steps_.store(*execution_);
    return steps_.check();
  }

 private:
  void load() {
    steps_.load(*execution_);
    execution_->synchronise();
  }
  void run_once() {
    execution_->advance();
    execution_->synchronise();
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
