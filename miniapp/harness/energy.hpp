// SPDX-License-Identifier: BSD-3-Clause
// Joules of a run: a device's counter and its integrated power over seconds of runs, and a load of another
// kind that is injected and must come back.
#pragma once
#include <functional>
#include <limits>
#include <string>

#include "runtime/energy.hpp"

namespace parity::harness {

/// Of one row in one start of the program. Joules that were not counted are infinite (null in records).
struct Energy {
  static constexpr double none = std::numeric_limits<double>::infinity();

  int start = 1;
  std::string meter;         ///< "NVML", "RAPL"
  double runs = 0;           ///< in the window
  double seconds = 0;        ///< of the window
  double counted = none;     ///< joules of the window by the device's counter
  double integrated = none;  ///< by its power, sampled between runs
  double idle_watts = none;  ///< before anything ran
  double load_watts = none;  ///< while nothing but the injected load runs
  /// What the load added to the runs, over what it takes alone: 1 where it came back. Whatever the meter
  /// makes of the runs cancels in it.
  double load_found = none;
  double limit_watts = none;  ///< more than which the device may not take, where it says
  double joules = none;       ///< of one run
  std::string refused;        ///< why there are none
  bool known() const { return refused.empty() && joules < none; }
  /// Without what the device takes when nothing runs.
  double above_idle() const { return joules - idle_watts * seconds / runs; }
};

struct EnergyOptions {
  double idle_seconds = 1, lead_seconds = 0.5;  ///< power that is averaged by the device lags behind
  double load_seconds = 1;
  double window_seconds = 2;
  double turn_seconds = 0.2;  ///< of runs, and then of the load
  double between_samples = 0.02;
  double between_updates = 0.2;  ///< within which a counter that counts moves on
  double agreement = 0.1;  ///< what counter and power, and the injected load and the load, may differ by
  std::function<void(double)> pause;  ///< waits so many seconds; empty: sleeps
};

/// The meters of this start of the program, with what they read while nothing runs, and while a load does.
class EnergyProbe {
 public:
  /// Measures idle power and the load. Throws runtime::CannotRunError where nothing counts joules.
  explicit EnergyProbe(runtime::EnergyMeters meters, EnergyOptions options = {});
  /// Repeats 'run' for some seconds. 'on_device': whether the GPU does the work.
  Energy measure(bool on_device, const std::function<void()>& run) const;

 private:
  struct Window {
    double runs = 0, units = 0, seconds = 0, counted = Energy::none, integrated = Energy::none;
    double joules() const { return counted < Energy::none ? counted : integrated; }
  };
  /// A meter, and what it was seen to count.
  struct Known {
    runtime::EnergyMeter* meter = nullptr;
    runtime::Burner* load = nullptr;
    double idle_watts = Energy::none, load_watts = Energy::none;
    double unit_joules = Energy::none;  ///< of the load
  };
  Known known(runtime::EnergyMeter* meter, runtime::Burner* load) const;
  double found_again(const Known& k, const Window& alone, const std::function<void()>& run) const;
  /// Runs alone, or in turn with units of the load.
  Window window(runtime::EnergyMeter& meter, double seconds, const std::function<void()>& run,
                runtime::Burner* load = nullptr) const;
  void until_the_counter_moves(runtime::EnergyMeter& meter, const std::function<void()>& run) const;

  runtime::EnergyMeters meters_;
  EnergyOptions o_;
  Known host_, device_;
};

}  // namespace parity::harness
