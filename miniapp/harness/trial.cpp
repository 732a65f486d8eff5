// SPDX-License-Identifier: BSD-3-Clause
#include "harness/trial.hpp"

#include "runtime/clock.hpp"
#include "runtime/messages.hpp"

namespace parity::harness {
namespace {

/// For longer runs (s) the clocks' difference is negligible: the device's clock times one run per process.
constexpr double long_run = 0.02;

template <class F>
double seconds_of(const F& work) {
  const double start = runtime::host_seconds();
  work();
  return runtime::host_seconds_since(start);
}

// Returns the seconds of the slowest rank.
double alone(const std::function<void()>& work) {
  double seconds = 0;
  runtime::collective_or_throw([&] { seconds = seconds_of(work); });
  return runtime::largest(seconds);
}

}  // namespace

/// Begins on all ranks at once. Returns the seconds of the slowest rank.
double ExecutionTrial::together(const std::function<void()>& work) {
  double seconds = 0;
  const auto timed = [&] { seconds = seconds_of(work); };
  runtime::barrier();
  linked_ ? runtime::abort_all_on_error(timed) : runtime::collective_or_throw(timed);
  return runtime::largest(seconds);
}

double ExecutionTrial::timed_load() {
  return alone([&] { load(), execution_->synchronise(); });
}

double ExecutionTrial::run_once() {
  return together([&] { execution_->advance(), execution_->synchronise(); });
}

double ExecutionTrial::timed_store() {
  return alone([&] { store(); });
}

/// Ranks exchange their parts during the check, so an error on one aborts all.
Verdict ExecutionTrial::judge() {
  Verdict verdict;
  runtime::abort_all_on_error([&] { verdict = check(); });
  return verdict;
}

Verdict ExecutionTrial::start(Measurement& row) {
  row.setup_seconds = alone([&] { execution_ = &make(); });
  row.load_seconds = timed_load();
  row.first_seconds = run_once();
  if (prepares()) {
    // The plain run above loaded the kernels, so that only capture and instantiation are timed.
    row.capture_seconds = alone([&] { prepare(), execution_->synchronise(); });
    ExecutionTrial::warm_up();
  }
  row.store_seconds = timed_store();
  if (const double share = execution_->occupancy(); share > 0)
    row.metrics.push_back({"occupancy", share, "1", Better::neither});
  return judge();
}

void ExecutionTrial::warm_up() {
  timed_load();
  run_once();
}

bool ExecutionTrial::run_again() {
  run_once();
  return true;
}

Sample ExecutionTrial::sample() {
  Sample s;
  timed_load();
  s.host = run_once();
  // The device's clock would add to the time that the host measures, so it times a run of its own.
  runtime::DeviceClock* const device = execution_->device_clock();
  if (!device || (s.host > long_run && device_timed_)) return s;
  device_timed_ = true;
  timed_load();
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

Verdict ExecutionTrial::finish(Measurement&) {
  timed_store();
  return judge();
}

}  // namespace parity::harness
