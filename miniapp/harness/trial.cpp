// SPDX-License-Identifier: BSD-3-Clause
#include "harness/trial.hpp"

#include "runtime/host_clock.hpp"

namespace parity::harness {
namespace {

template <class F>
double seconds_of(const F& work) {
  const double start = runtime::host_seconds();
  work();
  return runtime::host_seconds() - start;
}

class ExecutionTrial : public Trial {
 public:
  explicit ExecutionTrial(ExecutionSteps steps) : steps_(std::move(steps)) {}

  Verdict start(Measurement& row) override {
    row.setup_seconds = seconds_of([&] { execution_ = steps_.make(); });
    row.load_seconds = seconds_of([&] { steps_.load(*execution_), execution_->synchronise(); });
    run_once();
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
  Sample sample() override {
    steps_.load(*execution_);
    execution_->synchronise();
    runtime::DeviceClock* const device = execution_->device_clock();
    Sample s;
    s.host = seconds_of([&] {
      if (device) device->start();
      execution_->advance();
      if (device) device->stop();
      execution_->synchronise();
    });
    if (device) s.device = device->seconds();
    return s;
  }
  Verdict finish(Measurement&) override {
    steps_.store(*execution_);
    return steps_.check();
  }

 private:
  void run_once() {
    execution_->advance();
    execution_->synchronise();
  }

  ExecutionSteps steps_;
  std::unique_ptr<Execution> execution_;
};

}  // namespace

std::unique_ptr<Trial> execution_trial(ExecutionSteps steps) {
  return std::make_unique<ExecutionTrial>(std::move(steps));
}

}  // namespace parity::harness
