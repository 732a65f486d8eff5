// SPDX-License-Identifier: BSD-3-Clause
#include "launch/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/statistics.hpp"
#include "launch/buffers.hpp"
#include "launch/neighbours.hpp"
#include "runtime/error.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/signals.hpp"

namespace parity::launch {
namespace {

constexpr double spinning_tolerance = 0.05, sleeping_tolerance = 0.75;
/// After which a check takes what it has.
constexpr double most_check_seconds = 3;

using runtime::host_seconds_since;

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
    seconds.push_back(host_seconds_since(start));
  }
  return harness::summarise(seconds).median;
}

/// A variant made ready for a quantity.
class Prepared {
 public:
  Prepared(const Problem& p, const Entry& entry, Bench& bench)
      : p_(with_blocks(p)), q_(*find_quantity(p.quantity)), entry_(entry), probe_(entry.make(p_)) {
    if (q_.kind != Kind::none) {
      buffers_ = std::make_unique<Buffers>(entry.on_device(), words());
      buffers_->fill(q_.kind);
      work_ = buffers_->work(q_.kind, rate_rounds(entry.on_device()));
    }
    bench_ = &bench;
  }
  /// Brings the device to its working clock; not part of making ready.
  void calibrate_device() {
    if (!entry_.events_on_device()) return;
    if (bench_->device_ticks == 0) bench_->device_ticks = calibrate(*probe_);
    ticks_per_second_ = bench_->device_ticks;
  }

  /// Whether there is a queue for a tracer to look at.
  bool traceable() const { return probe_->stream() != nullptr; }

  double sample(Parts* parts) { return q_.method.sample(*probe_, {p_, ticks_per_second_, work_, 0, parts}); }

  /// Everything that must hold besides the time.
  harness::Verdict check_run() {
    constexpr int events = 7;
    Logbook log(entry_.events_on_device(), events, p_.indices() - 1);
    Work w;
    w.kind = Kind::wait;
    w.log = log.log();
    probe_->check_events(true);
    probe_->prepare(events, w);
    probe_->start(events, w);
    probe_->synchronise();
    const int over = log.over();
    harness::Verdict v{over == events ? 0 : std::numeric_limits<double>::infinity(), 0,
                       fmt::format("{} of {} events were over when the wait returned", over, events)};
    const std::optional<int> others = probe_->others_over();
    probe_->check_events(false);
    if (v.passed() && others.value_or(events) != events)
      return {std::numeric_limits<double>::infinity(), 0,
              fmt::format("of {} events {} did their work besides the kernel", events, *others)};
    if (!v.passed() || !buffers_) return v;
    probe_->prepare(1, work_);
    probe_->start(1, work_);
    probe_->synchronise();
    return {buffers_->error(q_.kind, words()), q_.kind == Kind::copy ? 0 : 1e-3, "what the events wrote"};
  }

  /// What every instrument says that there is for this variant.
  std::vector<Agreement> instruments() {
    const Subject s{*probe_, entry_, q_, few_events(q_, p_), ticks_per_second_, work_};
    std::vector<Agreement> all = with_event_log(s);
    if (probe_->stream() && bench_->tracer) try {
        for (const Agreement& a : with_tracer(s, *bench_->tracer)) all.push_back(a);
      } catch (const runtime::CannotRunError& error) {
        bench_->tracer.reset();
        bench_->no_tracer = error.what();
      }
    // A unit may sleep up to twice as long as it is asked to: two samples say nothing of each other.
    const bool sleeps = q_.units && p_.unit == Unit::nanosleep;
    if (entry_.bare && !q_.method.held && !sleeps) all.push_back(with_bare_loop(s));
    return all;
  }

  /// Injects two delays in turn, more often while the answer is not sharp.
  Recovered recover(double quantity) {
    const Problem shortened = few_events(q_, p_);  // a hundred thousand delays would take seconds
    // What the quantity stands for must not hide the delay: a block that waits while others still copy costs
    // nothing.
    const double low = (q_.delay ? q_.delay(shortened) : 10e-6) + 4 * std::max(0.0, quantity);
    // Against a quantity of milliseconds a short delay would be lost in its noise.
    const double injected =
        (q_.difference ? q_.difference(shortened) : 20e-6) + (quantity > 100e-6 ? 0.5 * quantity : 0);
    // A sleeping unit wakes with a timer of some microseconds, which swallows a part of a delay before it.
    const double tolerance = q_.units && p_.unit == Unit::nanosleep ? sleeping_tolerance : spinning_tolerance;
    const auto with_delay = [&](double seconds) {
      Setting setting{shortened, ticks_per_second_, work_};
      if (!q_.method.delayed) {
        setting.event_delay = seconds;
        return q_.method.sample(*probe_, setting);
      }
      DelayedProbe delayed(*probe_, *q_.method.delayed, seconds);
      return q_.method.sample(delayed, setting);
    };
    Neighbours neighbours;
    std::vector<double> all, alone;
    const auto best = [&]() -> const std::vector<double>& { return alone.size() >= 5 ? alone : all; };
    const double begin = runtime::host_seconds();
    for (int k = 0; k < 63; ++k) {
      runtime::stop_if_interrupted();
      if (k >= 5 && host_seconds_since(begin) > most_check_seconds) break;
      const auto both = [&] {
        const double less = with_delay(low);
        all.push_back(with_delay(low + injected) - less);
      };
      if (neighbours.leave_alone(both)) alone.push_back(all.back());
      if (k >= 8 && harness::summarise(best()).relative_half_width() < 0.5 * tolerance) break;
    }
    Recovered r = judge(best(), injected, tolerance);
    if (r.verdict.passed()) return r;
    const bool scattered = harness::summarise(best()).relative_half_width() > 0.5 * tolerance;
    if (const std::string excuse = neighbours.excuse(&best() == &alone, scattered); !excuse.empty()) {
      r.clear = false;
      r.verdict.reference += "; " + excuse;
    }
    return r;
  }

 private:
  std::int64_t words() const { return q_.kind == Kind::copy ? p_.bytes / 4 : p_.indices(); }

  Problem p_;
  const Quantity& q_;
  const Entry& entry_;
  Bench* bench_ = nullptr;
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<Probe> probe_;
  Work work_;
  double ticks_per_second_ = 1e9;
};

/// Nothing is wrong and nothing right: the machine lets nobody tell.
[[noreturn]] void not_measurable(const std::string& why) {
  throw runtime::CannotRunError("not measurable here: " + why);
}

class LaunchTrial : public harness::Trial {
 public:
  LaunchTrial(const Problem& p, const Entry& entry, std::shared_ptr<Bench> bench)
      : p_(p), entry_(entry), bench_(std::move(bench)) {}

  harness::Verdict start(harness::Measurement& row) override {
    const double begin = runtime::host_seconds();
    at_work_ = std::make_unique<Prepared>(p_, entry_, *bench_);
    row.setup_seconds = host_seconds_since(begin);
    at_work_->calibrate_device();
    row.metrics.push_back({"host_yardstick", bench_->host_yardstick, "s", harness::Better::neither});
    const harness::Verdict v = at_work_->check_run();
    if (v.passed()) at_work_->sample(nullptr);  // the first warm-up
    return v;
  }
  harness::Sample sample() override { return {at_work_->sample(&parts_)}; }

  harness::Verdict finish(harness::Measurement& row) override {
    std::string seen;
    std::vector<Agreement> all = at_work_->instruments();
    // What disturbed an instrument may have passed the second time; the row says that it was asked twice.
    const auto disturbed = std::find_if(all.begin(), all.end(), [](const Agreement& a) {
      return (a.finding == Finding::differs && a.wrong.empty()) || a.uneven || !a.excuse.empty();
    });
    if (disturbed != all.end()) {
      seen += "; asked again after " + disturbed->text();
      all = at_work_->instruments();
    }
    for (const Agreement& a : all) {
      if (a.finding == Finding::differs)
        return {a.bound > 0 && a.wrong.empty() ? std::abs(a.difference.median) / a.bound
                                               : std::numeric_limits<double>::infinity(),
                1, a.text()};
      if (a.finding == Finding::unclear)
        not_measurable(a.text() + (a.uneven ? "" : ", and too noisy to tell"));
      seen += "; " + a.text() + (a.finding == Finding::coarse ? ", too coarse to tell" : "");
    }
    if (at_work_->traceable() && !bench_->tracer) seen += "; " + bench_->no_tracer;
    Recovered r = at_work_->recover(row.host().value);
    if (!r.verdict.passed()) {
      seen += "; asked again after an " + r.verdict.reference;
      r = at_work_->recover(row.host().value);
    }
    r.verdict.reference += seen;
    if (!r.clear) not_measurable(r.verdict.reference);
    if (r.verdict.passed() && !parts_.total.empty()) add_parts(row);
    return r.verdict;
  }

 private:
  /// The terms of equation 3, with the row that has the rest. Whether it has a sign is for all starts
  /// together to say: leaving those out where it has none, or the wrong one, would move it.
  void add_parts(harness::Measurement& row) {
    for (std::vector<double>* terms : {&parts_.total, &parts_.call, &parts_.execution})
      terms->erase(terms->begin(),
                   terms->end() - std::min(row.host().samples, int(terms->size())));  // warm-ups
    const harness::Summary total = harness::summarise(parts_.total), call = harness::summarise(parts_.call),
                           execution = harness::summarise(parts_.execution);
    const auto add = [&row](const char* name, const harness::Summary& s) {
      row.metrics.push_back({name, 1e6 * s.median, "us", harness::Better::lower});
    };
    add("total", total);
    add("launching_call", call);
    add("execution_overhead", execution);
  }

  Problem p_;
  const Entry& entry_;
  std::shared_ptr<Bench> bench_;
  std::unique_ptr<Prepared> at_work_;
  Parts parts_;
};

}  // namespace

std::shared_ptr<Bench> make_bench(bool trace) {
  auto bench = std::make_shared<Bench>();
  bench->host_yardstick = take_yardstick();
  if (trace) bench->tracer = make_tracer(&bench->no_tracer);
  return bench;
}

std::unique_ptr<harness::Trial> launch_trial(const Problem& p, const Entry& entry,
                                             std::shared_ptr<Bench> bench) {
  return std::make_unique<LaunchTrial>(p, entry, std::move(bench));
}

std::vector<Agreement> instruments_on(const Problem& p, const Entry& entry, Bench& bench) {
  Prepared prepared(p, entry, bench);
  prepared.calibrate_device();
  return prepared.instruments();
}

Recovered judge(const std::vector<double>& recovered, double injected, double tolerance) {
  const harness::Summary s = harness::summarise(recovered);
  Recovered r;
  harness::Verdict& v = r.verdict;
  v.tolerance = tolerance;
  v.reference = fmt::format("injected delay of {:.4g} us, came back as {:.2f} us [{:.2f}, {:.2f}]",
                            1e6 * injected, 1e6 * s.median, 1e6 * s.low, 1e6 * s.high);
  const double low = s.low / injected - 1, high = s.high / injected - 1;
  // An interval wider than the delay says nothing, unless it lies beside the delay by more than its width.
  // Of the interval the end that is nearest to the delay: what lies between is this machine's noise.
  v.error = std::max({0.0, low, -high});
  r.clear = high - low < std::max(1.0, v.error);
  if (!r.clear) v.error = std::numeric_limits<double>::infinity();
  return r;
}

}  // namespace parity::launch
