// SPDX-License-Identifier: BSD-3-Clause
#include "launch/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "launch/buffers.hpp"
#include "study/error.hpp"
#include "study/signals.hpp"
#include "study/statistics.hpp"

namespace parity::launch {
namespace {

using study::Row;

constexpr double spinning_tolerance = 0.05, sleeping_tolerance = 0.75;
/// After which a check takes what it has.
constexpr double most_check_seconds = 3;

/// One variant at work.
struct Subject {
  const Entry* entry;
  Row row;
  std::unique_ptr<Probe> probe;
  std::unique_ptr<Buffers> buffers;
  double ticks_per_second = 1e9;
  Work work;
  std::string refused;  ///< why it cannot go on, found out while it ran
};

double seconds_of_wait(Probe& probe, std::int64_t ticks) {
  Work w;
  w.kind = Kind::wait;
  w.extra_ticks = ticks;
  probe.prepare(1, w);
  probe.synchronise();
  const auto start = std::chrono::steady_clock::now();
  probe.start(1, w);
  probe.synchronise();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The rate of the clock that waits spin on, against the host's: from waits of about one and five
/// milliseconds, so that the launch does not count. A GPU is brought to its working clock first.
double calibrate(Probe& probe) {
  for (int k = 0; k < 10; ++k) seconds_of_wait(probe, 4000000);
  std::vector<double> rates;
  for (int k = 0; k < 9; ++k)
    rates.push_back(6e6 / (seconds_of_wait(probe, 7500000) - seconds_of_wait(probe, 1500000)));
  return study::summarise(rates).median;
}

/// A fixed number of multiplications that wait for each other: how fast the host is at the moment. Launching
/// is the host's work, and a host that others share changes its pace from run to run.
double take_yardstick() {
  std::vector<double> seconds;
  for (int k = 0; k < 9; ++k) {
    volatile double seed = 1.0 + 1e-9;
    const double factor = seed;
    double x = 1;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20000; ++i) x *= factor;
    seed = x;
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return study::summarise(seconds).median;
}

/// Events that counted themselves, against those that were started.
double count_error(Probe& probe, Subject& s) {
  constexpr int events = 7;
  unsigned long long zero = 0, found = 0;
  Work w;
  w.kind = Kind::wait;
  const auto run = [&](unsigned long long* counter) {
    w.counter = counter;
    probe.prepare(events, w);
    probe.start(events, w);
    probe.synchronise();
  };
  if (s.entry->on_device()) {
    cuda::Memory counter(sizeof zero);
    counter.write(&zero, sizeof zero);
    run(static_cast<unsigned long long*>(counter.data()));
    counter.read(&found, sizeof found);
  } else {
    run(&found);
  }
  return found == events ? 0 : std::numeric_limits<double>::infinity();
}

std::vector<double> difference(const std::vector<double>& more, const std::vector<double>& less) {
  std::vector<double> d;
  for (std::size_t k = 0; k < std::min(more.size(), less.size()); ++k) d.push_back(more[k] - less[k]);
  return d;
}

/// Injects two delays in turn, more often while the answer is not sharp.
study::Verdict recover(const Quantity& q, Subject& s, const Problem& p) {
  Problem shortened = p;  // a hundred thousand delays would take seconds
  shortened.launches = std::min(p.launches, 200);
  const Setting setting{shortened, s.ticks_per_second, s.work};
  // What the figure stands for must not hide the delay: a block that waits while others still copy costs
  // nothing.
  const double figure = study::summarise(s.row.samples.host_seconds).median;
  const double low = (q.delay ? q.delay(shortened) : 10e-6) + 4 * std::max(0.0, figure);
  // Against a figure of milliseconds a short delay would be lost in its noise.
  const double injected =
      (q.difference ? q.difference(shortened) : 20e-6) + (figure > 100e-6 ? 0.5 * figure : 0);
  // A sleeping unit wakes with a timer of some microseconds, which swallows a part of a delay before it.
  const double tolerance = q.units && p.unit == Unit::nanosleep ? sleeping_tolerance : spinning_tolerance;
  std::vector<double> less, more;
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 63; ++k) {
    study::stop_if_interrupted();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (k >= 5 && seconds > most_check_seconds) break;
    less.push_back(q.sample(*s.probe, setting, low));
    more.push_back(q.sample(*s.probe, setting, low + injected));
    if (k < 8) continue;
    if (study::summarise(difference(more, less)).relative_half_width() < 0.5 * tolerance) break;
  }
  return judge(difference(more, less), injected, tolerance);
}

Subject make_subject(const Problem& p, const Selected& s, const Quantity& q) {
  Subject subject;
  subject.entry = s.entry;
  subject.row = blank_row(p, s);
  const auto start = std::chrono::steady_clock::now();
  subject.probe = s.entry->make(p);
  if (q.kind != Kind::none) {
    const std::int64_t words = q.kind == Kind::copy ? p.bytes / 4 : p.indices();
    subject.buffers = std::make_unique<Buffers>(s.entry->on_device(), words);
    subject.buffers->fill(q.kind);
    subject.work = subject.buffers->work(q.kind, rate_rounds(s.entry->on_device()));
  }
  subject.row.setup_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return subject;
}

/// Everything that must hold besides the injected delay.
study::Verdict check_run(const Quantity& q, Subject& s, const Problem& p) {
  study::Verdict v{count_error(*s.probe, s), 0, "events that ran"};
  if (!v.passed() || !s.buffers) return v;
  s.probe->prepare(1, s.work);
  s.probe->start(1, s.work);
  s.probe->synchronise();
  const std::int64_t words = q.kind == Kind::copy ? p.bytes / 4 : p.indices();
  return {s.buffers->error(q.kind, words), q.kind == Kind::copy ? 0 : 1e-3, "what the events wrote"};
}

}  // namespace

study::Verdict judge(const std::vector<double>& recovered, double injected, double tolerance) {
  const study::Summary s = study::summarise(recovered);
  study::Verdict v;
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

MemoryNeed memory_need(const Problem& p, const Entry& e) {
  const Quantity* const q = find_quantity(p.quantity);
  if (!q || q->kind == Kind::none) return {};
  const double bytes = q->kind == Kind::copy ? 2.0 * double(p.bytes) : 8.0 * double(p.indices());
  return e.on_device() ? MemoryNeed{bytes, bytes} : MemoryNeed{2 * bytes, 0};
}

void check_memory(const Problem& p, const std::vector<Selected>& selected) {
  const MemoryNeed free = study::free_memory(0);
  for (const Selected& s : selected)
    study::require_memory(s.name(), describe(p), memory_need(p, *s.entry), free, 0,
                          "reduce --bytes, --blocks or --threads");
}

Row blank_row(const Problem& p, const Selected& s) {
  const Quantity& q = *find_quantity(p.quantity);
  Row row;
  row.study = "launch";
  row.variant = row.kernel = s.entry->name;
  row.mechanism = "stream";
  row.twin = s.entry->twin;
  row.family = s.entry->family;
  row.problem = to_json(p);
  row.model.launches = 1;
  if (q.kind == Kind::copy) row.model.bytes = 2.0 * double(p.bytes);
  if (q.kind == Kind::multiply_adds || q.kind == Kind::exponentials)
    row.model.flops = (q.kind == Kind::multiply_adds ? 2.0 : 1.0) * chains * chain_length *
                      rate_rounds(s.entry->on_device()) * double(p.indices());
  return row;
}

double estimate(const Problem& p, const Selected& s) {
  const Quantity& q = *find_quantity(p.quantity);
  const double a_launch = s.entry->on_device() ? 4e-6 : 1e-5;
  if (q.kind == Kind::copy)
    return p.launches * (a_launch + 2.0 * double(p.bytes) / (s.entry->on_device() ? 1e12 : 1e10));
  if (q.units) return 2.0 * p.launches * (a_launch + 1e-9 * p.units * double(p.unit_ns));
  return p.launches * a_launch;
}

std::string time_text(const Problem&, const Row& row) {
  const study::Summary s = row.host();
  return fmt::format("{:.4g} us [{:.4g}, {:.4g}]", 1e6 * s.median, 1e6 * s.low, 1e6 * s.high);
}

nlohmann::json to_json(const Problem& p) {
  return {{"quantity", p.quantity},
          {"blocks", p.blocks},
          {"threads", p.threads},
          {"argument_bytes", p.argument_bytes},
          {"launches", p.launches},
          {"units", p.units},
          {"unit_ns", p.unit_ns},
          {"unit", name(p.unit)},
          {"topology", name(p.topology)},
          {"devices", p.devices},
          {"bytes", p.bytes}};
}

Measured measure(const Problem& asked, const std::vector<Selected>& selected, const study::RunOptions& o,
                 const std::function<void(const std::string&)>& before,
                 const std::function<void(const study::Row&)>& on_row) {
  validate(asked);
  const Problem p = with_blocks(asked);
  const Quantity& q = *find_quantity(p.quantity);
  Measured result;
  std::vector<Subject> subjects;
  double device_ticks = 0;  // one clock for all variants of the device
  for (const Selected& s : selected) {
    if (before) before("check " + s.name());
    auto reason = why_not(s, p);
    if (!reason) {
      try {
        check_memory(p, {s});
        Subject subject = make_subject(p, s, q);
        if (s.entry->on_device()) {
          if (device_ticks == 0) device_ticks = calibrate(*subject.probe);
          subject.ticks_per_second = device_ticks;
        }
        subject.row.problem = to_json(asked);
        subject.row.verdict = check_run(q, subject, p);
        const Setting setting{p, subject.ticks_per_second, subject.work};
        if (subject.row.verdict.passed())
          for (int w = 0; w < o.warmup; ++w) q.sample(*subject.probe, setting, 0);
        subjects.push_back(std::move(subject));
      } catch (const study::CannotRunError& e) {
        reason = e.what();
      }
    }
    if (reason) result.skipped.emplace_back(s.name(), *reason);
  }
  const double yardstick = take_yardstick();
  const auto start = std::chrono::steady_clock::now();
  const auto since = [&start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // A device may find out only now that it cannot, as a held stream does.
  const auto unless_refused = [](Subject& s, const auto& work) {
    if (!s.refused.empty() || !s.row.verdict.passed()) return;
    try {
      work();
    } catch (const study::CannotRunError& e) {
      s.refused = e.what();
    }
  };
  const char* stop = "repeats";
  for (int round = 0; round < o.repeats; ++round) {
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      Subject& s = subjects[(k + std::size_t(round)) % subjects.size()];
      study::stop_if_interrupted();
      if (before) before(s.row.name());
      unless_refused(s, [&] {
        s.row.samples.host_seconds.push_back(q.sample(*s.probe, {p, s.ticks_per_second, s.work}, 0));
      });
    }
    if (since() > o.time_cap && round + 1 < o.repeats) {
      stop = "time cap";
      break;
    }
  }
  for (Subject& s : subjects) {
    s.row.samples.stop = stop;
    s.row.yardstick = yardstick;
    if (before) before("inject " + s.row.name());
    unless_refused(s, [&] {
      const study::Verdict v = recover(q, s, p);
      if (!v.passed()) s.row.samples.host_seconds.clear();
      s.row.verdict = v;
    });
    if (!s.refused.empty()) {
      result.skipped.emplace_back(s.row.name(), s.refused);
      continue;
    }
    if (on_row) on_row(s.row);
    result.rows.push_back(std::move(s.row));
  }
  return result;
}

}  // namespace parity::launch
