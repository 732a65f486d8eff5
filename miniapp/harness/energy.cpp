// SPDX-License-Identifier: BSD-3-Clause
#include "harness/energy.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "runtime/error.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/signals.hpp"

namespace parity::harness {
namespace {

/// At least once. Returns how often.
double repeat(double seconds, const std::function<void()>& run) {
  const double start = runtime::host_seconds();
  double runs = 0;
  do {
    runtime::stop_if_interrupted();
    run();
    ++runs;
  } while (runtime::host_seconds_since(start) < seconds);
  return runs;
}

}  // namespace

EnergyProbe::EnergyProbe(runtime::EnergyMeters meters, EnergyOptions options)
    : meters_(std::move(meters)), o_(std::move(options)) {
  if (!meters_.host && !meters_.device)
    throw runtime::CannotRunError(fmt::format("--energy: nothing counts joules here ({}; {}); leave it away",
                                              meters_.why_no_device, meters_.why_no_host));
  if (!o_.pause)
    o_.pause = [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
  host_idle_ = idle_watts(meters_.host.get());
  device_idle_ = idle_watts(meters_.device.get());
}

double EnergyProbe::idle_watts(runtime::EnergyMeter* meter) const {
  if (!meter) return Energy::none;
  const Window idle = window(*meter, o_.idle_seconds, [this] { o_.pause(o_.between_reads); });
  return idle.joules / idle.seconds;
}

/// A window begins and ends when the counter is brought up to date. Reading it takes milliseconds in which
/// the device has nothing to do, so it is read now and then. Returns the number of runs.
double EnergyProbe::until_the_counter_moves(runtime::EnergyMeter& meter,
                                            const std::function<void()>& run) const {
  const double first = meter.joules(), start = runtime::host_seconds();
  double runs = 0;
  while (meter.joules() == first && runtime::host_seconds_since(start) < o_.between_updates)
    runs += repeat(o_.between_reads, run);
  return runs;
}

EnergyProbe::Window EnergyProbe::window(runtime::EnergyMeter& meter, double seconds,
                                        const std::function<void()>& run) const {
  Window w;
  until_the_counter_moves(meter, run);
  const double before = meter.joules(), start = runtime::host_seconds();
  w.runs = repeat(seconds, run) + until_the_counter_moves(meter, run);
  w.joules = meter.joules() - before;
  w.seconds = runtime::host_seconds_since(start);
  return w;
}

Energy EnergyProbe::measure(bool on_device, const std::function<void()>& run) const {
  Energy e;
  runtime::EnergyMeter* const meter = on_device ? meters_.device.get() : meters_.host.get();
  if (!meter) {
    e.refused = on_device ? meters_.why_no_device : meters_.why_no_host;
    return e;
  }
  e.meter = meter->name();
  e.idle_watts = on_device ? device_idle_ : host_idle_;
  repeat(o_.lead_seconds, run);
  const Window w = window(*meter, o_.window_seconds, run);
  e.runs = w.runs;
  e.seconds = w.seconds;
  e.counted = w.joules;
  if (w.joules > 0)
    e.joules = w.joules / w.runs;
  else
    e.refused = fmt::format("{} did not count in {:.1f} s", e.meter, w.seconds);
  return e;
}

}  // namespace parity::harness
