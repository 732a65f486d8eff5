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

/// At least once.
void repeat(double seconds, const std::function<void()>& run) {
  const double start = runtime::host_seconds();
  do {
    runtime::stop_if_interrupted();
    run();
  } while (runtime::host_seconds_since(start) < seconds);
}

}  // namespace

EnergyProbe::EnergyProbe(runtime::EnergyMeters meters, EnergyOptions options)
    : meters_(std::move(meters)), o_(std::move(options)) {
  if (!meters_.host && !meters_.device)
    throw runtime::CannotRunError(fmt::format("--energy: nothing counts joules here ({}; {}); leave it away",
                                              meters_.why_no_device, meters_.why_no_host));
  if (!o_.pause)
    o_.pause = [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
  host_ = known(meters_.host.get(), meters_.host_load.get());
  device_ = known(meters_.device.get(), meters_.device_load.get());
}

EnergyProbe::Known EnergyProbe::known(runtime::EnergyMeter* meter, runtime::Burner* load) const {
  Known k;
  k.meter = meter, k.load = load;
  if (!meter) return k;
  const Window idle = window(*meter, o_.idle_seconds, [this] { o_.pause(0.5 * o_.between_samples); });
  k.idle_watts = idle.joules() / idle.seconds;
  if (!load) return k;
  const auto burn = [load] { load->burn(); };
  repeat(o_.lead_seconds, burn);
  const Window w = window(*meter, o_.load_seconds, burn);
  k.load_watts = w.joules() / w.seconds;
  k.unit_joules = w.joules() / w.runs;
  return k;
}

/// So that a window begins and ends where the counter was brought up to date. Reading it takes milliseconds,
/// in which the device has nothing to do: it is looked at now and then.
void EnergyProbe::until_the_counter_moves(runtime::EnergyMeter& meter,
                                          const std::function<void()>& run) const {
  const auto first = meter.joules();
  const double start = runtime::host_seconds();
  while (first && meter.joules() == first && runtime::host_seconds_since(start) < o_.between_updates)
    repeat(0.5 * o_.between_samples, run);
}

EnergyProbe::Window EnergyProbe::window(runtime::EnergyMeter& meter, double seconds,
                                        const std::function<void()>& run, runtime::Burner* load) const {
  Window w;
  until_the_counter_moves(meter, run);
  const auto before = meter.joules();
  const double start = runtime::host_seconds();
  Integral power(meter);
  bool burning = false;
  double turn = start, turn_seconds = o_.turn_seconds;
  const auto counted_run = [&] {
    runtime::stop_if_interrupted();
    if (burning)
      load->burn(), ++w.units;
    else
      run(), ++w.runs;
    if (const double passed = runtime::host_seconds_since(turn); load && passed >= turn_seconds) {
      burning = !burning;
      turn_seconds = burning ? passed : o_.turn_seconds;  // the load takes its turn for as long as the runs
      turn = runtime::host_seconds();
    }
    if (power.since_sample() >= o_.between_samples) power.add();
  };
  do counted_run();
  while (runtime::host_seconds_since(start) < seconds || (load && w.units == 0));
  until_the_counter_moves(meter, counted_run);
  const auto after = meter.joules();
  power.add();
  w.seconds = runtime::host_seconds_since(start);
  if (before && after) w.counted = *after - *before;
  w.integrated = power.joules();
  return w;
}

/// What is more in a window of runs and the load in turn than these runs take, over what the load takes
/// alone. What the meter makes of the runs themselves is in both windows, and cancels.
double EnergyProbe::found_again(const Known& k, const Window& alone, const std::function<void()>& run) const {
  const Window both = window(*k.meter, o_.window_seconds, run, k.load);
  return (both.joules() - both.runs * alone.joules() / alone.runs) / (both.units * k.unit_joules);
}

Energy EnergyProbe::measure(bool on_device, const std::function<void()>& run) const {
  Energy e;
  const Known& k = on_device ? device_ : host_;
  if (!k.meter) {
    e.refused = on_device ? meters_.why_no_device : meters_.why_no_host;
    return e;
  }
  e.meter = k.meter->name();
  e.idle_watts = k.idle_watts;
  e.load_watts = k.load_watts;
  e.limit_watts = k.meter->limit_watts().value_or(Energy::none);
  repeat(o_.lead_seconds, run);
  const Window w = window(*k.meter, o_.window_seconds, run);
  e.runs = w.runs;
  e.seconds = w.seconds;
  e.counted = w.counted;
  e.integrated = w.integrated;
  const double joules = w.joules() / w.runs, watts = w.joules() / w.seconds;
  const bool both = w.counted < Energy::none && w.integrated < Energy::none;
  if (both && std::abs(w.counted - w.integrated) > o_.agreement * std::max(w.counted, w.integrated))
    e.refused =
        fmt::format("the counter says {:.4g} J, the integrated power {:.4g} J", w.counted, w.integrated);
  else if (!(joules > 0 && joules < Energy::none))
    e.refused = fmt::format("{} did not count in {:.1f} s", e.meter, w.seconds);
  else if (!k.load)
    e.refused = "there is no load that could be injected";
  else if (!(k.load_watts > (1 + o_.agreement) * k.idle_watts))
    e.refused =
        fmt::format("{} does not see work: {:.4g} W while a load runs, {:.4g} W while nothing does{}",
                    e.meter, k.load_watts, k.idle_watts, on_device ? "" : "; more OpenMP threads may help");
  else if (watts < (1 - o_.agreement) * k.idle_watts)
    e.refused = fmt::format("{} says {:.4g} W while the runs are at work, {:.4g} W while nothing is", e.meter,
                            watts, k.idle_watts);
  else if (watts > (1 + o_.agreement) * e.limit_watts)
    e.refused = fmt::format("{} says {:.4g} W while the runs are at work, of {:.4g} W that it may take",
                            e.meter, watts, e.limit_watts);
  else if (e.load_found = found_again(k, w, run); !(std::abs(e.load_found - 1) <= o_.agreement))
    e.refused =
        fmt::format("a load that was injected between the runs came back as {:.2f} of it", e.load_found);
  else
    e.joules = joules;
  return e;
}

}  // namespace parity::harness
