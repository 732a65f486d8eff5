// SPDX-License-Identifier: BSD-3-Clause
// A trial of a variant that prepares something of its samples. What is timed as its time is all that a new
// data set needs; beside it the same with the preparation reused is measured, as a metric.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "harness/statistics.hpp"
#include "harness/trial.hpp"
#include "kde/variant.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/messages.hpp"

namespace parity::kde {

/// The metric's name: the median of as many samples, in us, by the host's clock around advance_prepared and
/// synchronise.
constexpr const char* prepared_time = "prepared_time";

template <class T>
class PreparedTrial : public harness::Trial {
 public:
  explicit PreparedTrial(harness::StepsOf<Variant<T>> steps) : steps_(steps) {
    steps.make = [this] {
      auto made = steps_.make();
      variant_ = made.get();
      return made;
    };
    whole_ = harness::execution_trial(std::move(steps));
  }

  harness::Verdict start(harness::Measurement& row) override { return whole_->start(row); }
  void warm_up() override {
    runtime::linked([this] { reload(), evaluate(); });
    whole_->warm_up();
  }
  harness::Sample sample() override {
    // First, so that what finish checks is the whole of the last sample.
    double seconds = 0;
    runtime::linked([&] {
      reload();
      const double begin = runtime::host_seconds();
      evaluate();
      seconds = runtime::host_seconds_since(begin);
    });
    seconds_.push_back(runtime::largest(seconds));
    return whole_->sample();
  }
  harness::Verdict finish(harness::Measurement& row) override {
    const harness::Verdict whole = whole_->finish(row);
    if (!whole.passed()) return whole;
    harness::Verdict prepared;
    runtime::linked([&] {
      reload();
      evaluate();
      steps_.store(*variant_);
      prepared = steps_.check();
    });
    if (!prepared.passed()) return prepared;
    row.metrics.push_back(
        {prepared_time, 1e6 * harness::summarise(seconds_).median, "us", harness::Better::lower});
    return whole;
  }

 private:
  /// The densities are poisoned again, what was prepared stays.
  void reload() {
    steps_.load(*variant_);
    variant_->synchronise();
  }
  void evaluate() {
    variant_->advance_prepared();
    variant_->synchronise();
  }

  harness::StepsOf<Variant<T>> steps_;
  std::unique_ptr<harness::Trial> whole_;
  Variant<T>* variant_ = nullptr;
  std::vector<double> seconds_;
};

}  // namespace parity::kde
