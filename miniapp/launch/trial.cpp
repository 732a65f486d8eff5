// SPDX-License-Identifier: BSD-3-Clause
#include "launch/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/statistics.hpp"
#include "launch/buffers.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/signals.hpp"

namespace parity::launch {
namespace {

constexpr double spinning_tolerance = 0.05, sleeping_tolerance = 0.75;
/// After which a check takes what it has.
constexpr double most_check_seconds = 3;

double since(double start) { return runtime::host_seconds() - start; }

double seconds_of_wait(Probe& probe, std::int64_t ticks) {
  Work w;
  w.kind = Kind::wait;
  w.extra_ticks = ticks;
  probe.prepare(1, w);
  probe.synchronise();
  const double start = runtime::host_seconds();
  probe.start(1, w);
  probe.synchronise();
  return since(start);
}

/// The rate of the clock that waits spin on, against the host's: from waits of about one and five
/// milliseconds, so that the launch does not count. A GPU is brought to its working clock first.
double calibrate(Probe& probe) {
  for (int k = 0; k < 10; ++k) seconds_of_wait(probe, 4000000);
  std::vector<double> rates;
  for (int k = 0; k < 9; ++k)
    rates.push_back(6e6 / (seconds_of_wait(probe, 7500000) - seconds_of_wait(probe, 1500000)));
  return harness::summarise(rates).median;
}

/// A fixed number of multiplications that wait for each other: how fast the host is at the moment. Launching
/// is the host's work, and a host that others share changes its pace from run to run.
double take_yardstick() {
  std::vector<double> seconds;
  for (int k = 0; k < 9; ++k) {
    volatile double seed = 1.0 + 1e-9;
    const double factor = seed;
    double x = 1;
    const double start = runtime::host_seconds();
    for (int i = 0; i < 20000; ++i) x *= factor;
    seed = x;
    seconds.push_back(since(start));
  }
  return harness::summarise(seconds).median;
}

std::vector<double> difference(const std::vector<double>& more, const std::vector<double>& less) {
  std::vector<double> d;
  for (std::size_t k = 0; k < std::min(more.size(), less.size()); ++k) d.push_back(more[k] - less[k]);
  return d;
}

class LaunchTrial : public harness::Trial {
 public:
  LaunchTrial(const Problem& p, const Entry& entry, std::shared_ptr<Bench> bench)
      : p_(with_blocks(p)), q_(*find_quantity(p.quantity)), entry_(entry), bench_(std::move(bench)) {}

  harness::Verdict start(harness::Measurement& row) override {
    const double begin = runtime::host_seconds();
    probe_ = entry_.make(p_);
    if (q_.kind != Kind::none) {
      buffers_ = std::make_unique<Buffers>(entry_.on_device(), words());
      buffers_->fill(q_.kind);
      work_ = buffers_->work(q_.kind, rate_rounds(entry_.on_device()));
    }
    row.setup_seconds = since(begin);
    if (entry_.on_device()) {
      if (bench_->device_ticks == 0) bench_->device_ticks = calibrate(*probe_);
      ticks_per_second_ = bench_->device_ticks;
    }
    row.metrics.push_back({"host_yardstick", bench_->host_yardstick, "s", harness::Better::neither});
    const harness::Verdict v = check_run();
    if (v.passed()) sample();  // the first warm-up
    return v;
  }
  harness::Sample sample() override { return {q_.sample(*probe_, {p_, ticks_per_second_, work_}, 0)}; }
  harness::Verdict finish(harness::Measurement& row) override { return recover(row.host().value); }

 private:
  std::int64_t words() const { return q_.kind == Kind::copy ? p_.bytes / 4 : p_.indices(); }

  /// Events that counted themselves, against those that were started.
  double count_error() {
    constexpr int events = 7;
    unsigned long long zero = 0, found = 0;
    Work w;
    w.kind = Kind::wait;
    const auto run = [&](unsigned long long* counter) {
      w.counter = counter;
      probe_->prepare(events, w);
      probe_->start(events, w);
      probe_->synchronise();
    };
    if (entry_.on_device()) {
      runtime::DeviceMemory counter(sizeof zero);
      counter.write(&zero, sizeof zero);
      run(static_cast<unsigned long long*>(counter.data()));
      counter.read(&found, sizeof found);
    } else {
      run(&found);
    }
    return found == events ? 0 : std::numeric_limits<double>::infinity();
  }

  /// Everything that must hold besides the injected delay.
  harness::Verdict check_run() {
    harness::Verdict v{count_error(), 0, "events that ran"};
    if (!v.passed() || !buffers_) return v;
    probe_->prepare(1, work_);
    probe_->start(1, work_);
    probe_->synchronise();
    return {buffers_->error(q_.kind, words()), q_.kind == Kind::copy ? 0 : 1e-3, "what the events wrote"};
  }

  /// Injects two delays in turn, more often while the answer is not sharp.
  harness::Verdict recover(double figure) {
    Problem shortened = p_;  // a hundred thousand delays would take seconds
    shortened.launches = std::min(p_.launches, 200);
    const Setting setting{shortened, ticks_per_second_, work_};
    // What the figure stands for must not hide the delay: a block that waits while others still copy costs
    // nothing.
    const double low = (q_.delay ? q_.delay(shortened) : 10e-6) + 4 * std::max(0.0, figure);
    // Against a figure of milliseconds a short delay would be lost in its noise.
    const double injected =
        (q_.difference ? q_.difference(shortened) : 20e-6) + (figure > 100e-6 ? 0.5 * figure : 0);
    // A sleeping unit wakes with a timer of some microseconds, which swallows a part of a delay before it.
    const double tolerance = q_.units && p_.unit == Unit::nanosleep ? sleeping_tolerance : spinning_tolerance;
    std::vector<double> less, more;
    const double begin = runtime::host_seconds();
    for (int k = 0; k < 63; ++k) {
      runtime::stop_if_interrupted();
      if (k >= 5 && since(begin) > most_check_seconds) break;
      less.push_back(q_.sample(*probe_, setting, low));
      more.push_back(q_.sample(*probe_, setting, low + injected));
      if (k < 8) continue;
      if (harness::summarise(difference(more, less)).relative_half_width() < 0.5 * tolerance) break;
    }
    return judge(difference(more, less), injected, tolerance);
  }

  Problem p_;
  const Quantity& q_;
  const Entry& entry_;
  std::shared_ptr<Bench> bench_;
  std::unique_ptr<Probe> probe_;
  std::unique_ptr<Buffers> buffers_;
  Work work_;
  double ticks_per_second_ = 1e9;
};

}  // namespace

std::shared_ptr<Bench> make_bench() {
  auto bench = std::make_shared<Bench>();
  bench->host_yardstick = take_yardstick();
  return bench;
}

std::unique_ptr<harness::Trial> launch_trial(const Problem& p, const Entry& entry,
                                             std::shared_ptr<Bench> bench) {
  return std::make_unique<LaunchTrial>(p, entry, std::move(bench));
}

harness::Verdict judge(const std::vector<double>& recovered, double injected, double tolerance) {
  const harness::Summary s = harness::summarise(recovered);
  harness::Verdict v;
  v.tolerance = tolerance;
  v.reference = fmt::format("injected delay of {:.4g} us, came back as {:.2f} us [{:.2f}, {:.2f}]",
                            1e6 * injected, 1e6 * s.median, 1e6 * s.low, 1e6 * s.high);
  const double low = s.low / injected - 1, high = s.high / injected - 1;
  // An interval wider than what was injected says nothing and passes nothing.
  if (!(high - low < 1))
    v.error = std::numeric_limits<double>::infinity();
  else
    v.error = high - low <= tolerance ? std::abs(s.median / injected - 1) : std::max({0.0, low, -high});
  return v;
}

}  // namespace parity::launch
