// SPDX-License-Identifier: BSD-3-Clause
#include "harness/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "runtime/error.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/signals.hpp"

namespace parity::harness {
namespace {

/// Power over time by the trapezoidal rule.
class Integral {
 public:
  explicit Integral(runtime::EnergyMeter& meter) : meter_(meter) { add(); }
  void add() {
    const double now = runtime::host_seconds();
    const auto watts = meter_.watts();
    if (watts && last_) joules_ += 0.5 * (*watts + *last_) * (now - at_);
    known_ = known_ && watts;
    last_ = watts;
    at_ = now;
  }
  double since_sample() const { return runtime::host_seconds_since(at_); }
  double joules() const { return known_ ? joules_ : Energy::none; }

 private:
  runtime::EnergyMeter& meter_;
  std::optional<double> last_;
  double at_ = 0, joules_ = 0;
  bool known_ = true;
};

}  // namespace

EnergyProbe::EnergyProbe(runtime::EnergyMeters meters, EnergyOptions options)
    : meters_(std::move(meters)), o_(std::move(options)) {
  if (!meters_.host && !meters_.device)
    throw runtime::CannotRunError(fmt::format("--energy: nothing counts joules here ({}; {}); leave it away",
                                              meters_.why_no_device, meters_.why_no_host));
  if (!o_.pause)
    o_.pause = [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
  const auto idle = [this](runtime::EnergyMeter* meter) {
    if (!meter) return Energy::none;
    const Window w = window(*meter, o_.idle_seconds, [this] { o_.pause(0.5 * o_.between_samples); });
    return w.joules() / w.seconds;
  };
  idle_host_ = idle(meters_.host.get());
  idle_device_ = idle(meters_.device.get());
}

/// So that a window begins and ends where the counter was brought up to date.
void EnergyProbe::until_the_counter_moves(runtime::EnergyMeter& meter,
                                          const std::function<void()>& run) const {
  const auto first = meter.joules();
  const double start = runtime::host_seconds();
  while (first && meter.joules() == first && runtime::host_seconds_since(start) < o_.between_updates) run();
}

EnergyProbe::Window EnergyProbe::window(runtime::EnergyMeter& meter, double seconds,
                                        const std::function<void()>& run) const {
  Window w;
  until_the_counter_moves(meter, run);
  const auto before = meter.joules();
  const double start = runtime::host_seconds();
  Integral power(meter);
  const auto counted_run = [&] {
    runtime::stop_if_interrupted();
    run();
    ++w.runs;
    if (power.since_sample() >= o_.between_samples) power.add();
  };
  do counted_run();
  while (runtime::host_seconds_since(start) < seconds);
  until_the_counter_moves(meter, counted_run);
  const auto after = meter.joules();
  power.add();
  w.seconds = runtime::host_seconds_since(start);
  if (before && after) w.counted = *after - *before;
  w.integrated = power.joules();
  return w;
}

Energy EnergyProbe::measure(bool on_device, const std::function<void()>& run) const {
  Energy e;
  runtime::EnergyMeter* const meter = (on_device ? meters_.device : meters_.host).get();
  if (!meter) {
    e.refused = on_device ? meters_.why_no_device : meters_.why_no_host;
    return e;
  }
  e.meter = meter->name();
  e.idle_watts = on_device ? idle_device_ : idle_host_;
  const double start = runtime::host_seconds();
  do run();
  while (runtime::host_seconds_since(start) < o_.lead_seconds);
  const Window w = window(*meter, o_.window_seconds, run);
  e.runs = w.runs;
  e.seconds = w.seconds;
  e.counted = w.counted;
  e.integrated = w.integrated;
  const double joules = w.joules() / w.runs;
  // Each run does its work once more: what that adds must be what a run takes.
  const Window twice = window(*meter, o_.window_seconds, [&run] { run(), run(); });
  e.injected =
      joules > 0 && joules < Energy::none ? (twice.joules() / twice.runs - joules) / joules : Energy::none;
  const bool both = w.counted < Energy::none && w.integrated < Energy::none;
  if (both && std::abs(w.counted - w.integrated) > o_.agreement * std::max(w.counted, w.integrated))
    e.refused =
        fmt::format("the counter says {:.4g} J, the integrated power {:.4g} J", w.counted, w.integrated);
  else if (!(joules > 0 && joules < Energy::none))
    e.refused = fmt::format("{} did not count in {:.1f} s", e.meter, w.seconds);
  else if (!(std::abs(e.injected - 1) <= o_.agreement))
    e.refused = fmt::format("a run that was injected beside each came back as {:.2f} of one", e.injected);
  else
    e.joules = joules;
  return e;
}

}  // namespace parity::harness
