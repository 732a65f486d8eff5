// SPDX-License-Identifier: BSD-3-Clause
#include "launch/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/statistics.hpp"
#include "runtime/clock.hpp"
#include "runtime/signals.hpp"

namespace parity::launch {
namespace {

using harness::Verdict;
using runtime::host_seconds_since;

constexpr double spinning_tolerance = 0.05, sleeping_tolerance = 0.75;
/// Two clock readings and one or two cache misses: more than the tolerance of a short delay.
constexpr double bracket_seconds = 0.25e-6;
/// A turn ends after this time with the samples that it has.
constexpr double most_turn_seconds = 0.3;
constexpr int turns = 3;
constexpr double wrong = std::numeric_limits<double>::infinity();

/// A counter that events increment, in memory that the host reads without waiting.
class EventCounter {
 public:
  explicit EventCounter(bool on_device) : memory_(sizeof(int), on_device) { *word() = 0; }
  int* word() const { return static_cast<int*>(memory_.data()); }
  int value() const { return *static_cast<const volatile int*>(word()); }

 private:
  runtime::StagingMemory memory_;
};

float value(std::int64_t word) { return float((word * 2654435761LL) & 0xffff) + 1.0f; }

double seconds_of_wait(Probe& probe, std::int64_t ticks) {
  Work w;
  w.kind = Kind::wait;
  w.extra_ticks = ticks;
  probe.prepare(1, w);
  probe.synchronise();
  const double start = runtime::host_seconds();
  probe.start(1, w);
  probe.synchronise();
  return host_seconds_since(start);
}

/// The rate of the clock that waits spin on, measured with the host's clock: from waits of about one and five
/// milliseconds, so that the launch cancels out. Warms up a GPU to its working clock first.
double calibrate(Probe& probe) {
  for (int k = 0; k < 10; ++k) seconds_of_wait(probe, 4000000);
  std::vector<double> rates;
  for (int k = 0; k < 9; ++k)
    rates.push_back(6e6 / (seconds_of_wait(probe, 7500000) - seconds_of_wait(probe, 1500000)));
  return harness::median_of(rates);
}

class LaunchTrial : public harness::Trial {
 public:
  LaunchTrial(const Problem& p, const Entry& entry, std::shared_ptr<Bench> bench)
      : p_(with_blocks(p)), q_(*find_quantity(p.quantity)), entry_(entry), bench_(std::move(bench)) {}

  Verdict start(harness::Measurement& row) override {
    const double begin = runtime::host_seconds();
    probe_ = entry_.make(p_);
    if (q_.kind != Kind::none) {
      buffers_ = std::make_unique<Buffers>(entry_.on_device(), words());
      buffers_->fill();
      work_ = buffers_->work();
    }
    row.setup_seconds = host_seconds_since(begin);
    if (entry_.on_device()) {
      if (bench_->device_ticks == 0) bench_->device_ticks = calibrate(*probe_);
      ticks_per_second_ = bench_->device_ticks;
    }
    const Verdict v = check_run();
    if (v.passed()) sample_of(*probe_, {p_, ticks_per_second_, work_});  // the first warm-up
    return v;
  }

  harness::Sample sample() override { return {sample_of(*probe_, {p_, ticks_per_second_, work_})}; }

  Verdict finish(harness::Measurement& row) override {
    Verdict v;
    for (int turn = 0; turn < turns; ++turn)
      if (v = recover(row.host().value); v.passed()) break;
    if (!v.passed()) v.caveat = v.reference;
    return v;
  }

 private:
  std::int64_t words() const { return p_.bytes / 4; }
  double sample_of(Probe& probe, const Setting& setting) const { return q_.method.sample(probe, setting); }

  /// Checks everything except the time.
  Verdict check_run() {
    constexpr int events = 7;
    EventCounter counter(entry_.on_device());
    Work w;
    w.kind = Kind::wait;
    w.count = counter.word();
    probe_->prepare(events, w);
    probe_->start(events, w);
    probe_->synchronise();
    const int over = counter.value();
    const int others = over == events ? probe_->others_over().value_or(events) : events;
    if (over != events)
      return {wrong, 0, fmt::format("{} of {} events were over when the wait returned", over, events)};
    if (others != events)
      return {wrong, 0, fmt::format("of {} events {} did their work besides the kernel", events, others)};
    const Verdict v = count_events(*probe_, entry_, q_, few_events(q_, p_), ticks_per_second_, work_);
    if (!v.passed() || !buffers_) return v;
    probe_->prepare(1, work_);
    probe_->start(1, work_);
    probe_->synchronise();
    return {buffers_->error(words()), 0, "what the events wrote"};
  }

  /// Injects two delays in turn, and repeats while the interval is wide.
  Verdict recover(double quantity) {
    const Problem shortened = few_events(q_, p_);  // a hundred thousand delays would take seconds
    // The quantity must not hide the delay: a block that waits while others still copy costs nothing.
    const double low = (q_.delay ? q_.delay(shortened) : 10e-6) + 4 * std::max(0.0, quantity);
    // A quantity of milliseconds would hide a short delay in its noise.
    const double injected =
        (q_.difference ? q_.difference(shortened) : 20e-6) + (quantity > 100e-6 ? 0.5 * quantity : 0);
    // A sleeping unit wakes on a timer of some microseconds, which absorbs a part of the preceding delay.
    const double tolerance = q_.units && p_.unit == Unit::nanosleep
                                 ? sleeping_tolerance
                                 : std::max(spinning_tolerance, bracket_seconds / injected);
    const auto with_delay = [&](double seconds) {
      Setting setting{shortened, ticks_per_second_, work_};
      if (!q_.method.delayed) {
        setting.event_delay = seconds;
        return sample_of(*probe_, setting);
      }
      DelayedProbe delayed(*probe_, *q_.method.delayed, seconds);
      return sample_of(delayed, setting);
    };
    std::vector<double> recovered;
    const double begin = runtime::host_seconds();
    for (int k = 0; k < 63; ++k) {
      runtime::stop_if_interrupted();
      if (k >= 5 && host_seconds_since(begin) > most_turn_seconds) break;
      const double less = with_delay(low);
      recovered.push_back(with_delay(low + injected) - less);
      if (k >= 8 && harness::summarise(recovered).relative_half_width() < 0.5 * tolerance) break;
    }
    return judge(recovered, injected, tolerance);
  }

  const Problem p_;
  const Quantity& q_;
  const Entry& entry_;
  std::shared_ptr<Bench> bench_;
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<Probe> probe_;
  Work work_;
  double ticks_per_second_ = 1e9;
};

}  // namespace

Buffers::Buffers(bool on_device, std::int64_t words)
    : words_((std::max<std::int64_t>(words, 4) + 3) / 4 * 4) {
  host_ = std::make_unique<runtime::HostArray<float>>(2 * words_);
  if (on_device) device_ = std::make_unique<runtime::DeviceMemory>(2 * words_ * 4);
  base_ = device_ ? static_cast<float*>(device_->data()) : host_->data();
}

void Buffers::fill() {
  float* const host = host_->data();
  for (std::int64_t w = 0; w < words_; ++w) host[w] = value(w);
  std::fill(host + words_, host + 2 * words_, std::numeric_limits<float>::quiet_NaN());
  if (device_) device_->write(host, 2 * words_ * 4);
}

Work Buffers::work() const {
  Work w;
  w.kind = Kind::copy;
  w.from = base_;
  w.to = base_ + words_;
  w.words = words_;
  return w;
}

double Buffers::error(std::int64_t words) const {
  std::vector<float> found(std::size_t(2 * words_));
  if (device_)
    device_->read(found.data(), 2 * words_ * 4);
  else
    std::copy(host_->data(), host_->data() + 2 * words_, found.begin());
  double largest = 0;
  for (std::int64_t w = 0; w < words; ++w) {
    const double expected = value(w);
    const double e = std::abs(double(found[std::size_t(words_ + w)]) - expected) / expected;
    if (!(e <= largest)) largest = std::isnan(e) ? std::numeric_limits<double>::infinity() : e;
  }
  return largest;
}

std::unique_ptr<harness::Trial> launch_trial(const Problem& p, const Entry& entry,
                                             std::shared_ptr<Bench> bench) {
  return std::make_unique<LaunchTrial>(p, entry, std::move(bench));
}

Verdict count_events(Probe& probe, const Entry& entry, const Quantity& q, const Problem& p,
                     double ticks_per_second, const Work& work) {
  EventCounter counter(entry.on_device());
  Setting setting{p, ticks_per_second, work};
  setting.work.count = counter.word();
  q.method.sample(probe, setting);
  const int ran = counter.value(), asked = q.method.events(p);
  return {ran == asked ? 0 : wrong, 0, fmt::format("{} of {} events ran", ran, asked)};
}

Verdict judge(const std::vector<double>& recovered, double injected, double tolerance) {
  const harness::Summary s = harness::summarise(recovered);
  const double low = s.low / injected - 1, high = s.high / injected - 1;
  Verdict v{0, tolerance,
            fmt::format("injected delay of {:.4g} us, came back as {:.2f} us [{:.2f}, {:.2f}]",
                        1e6 * injected, 1e6 * s.median, 1e6 * s.low, 1e6 * s.high)};
  // The error of the median or, if it is smaller, of the interval's end nearest to the delay: differences
  // inside the interval are noise. An interval wider than the delay is ignored.
  v.error = std::abs(s.median / injected - 1);
  if (high - low < 1) v.error = std::min(v.error, std::max({0.0, low, -high}));
  return v;
}

}  // namespace parity::launch
