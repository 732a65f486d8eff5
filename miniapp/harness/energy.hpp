// SPDX-License-Identifier: BSD-3-Clause
// Joules of a run: what the device's counter says over seconds of runs, beside its idle power.
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
  double counted = none;     ///< joules of the window
  double idle_watts = none;  ///< before anything ran
  double joules = none;      ///< of one run
  std::string refused;       ///< why there are none
  bool known() const { return refused.empty() && joules < none; }
  /// Without what the device takes when nothing runs.
  double above_idle() const { return joules - idle_watts * seconds / runs; }
};

struct EnergyOptions {
  double idle_seconds = 1, lead_seconds = 0.5, window_seconds = 2;
  double between_reads = 0.01, between_updates = 0.2;  ///< within which a counter that counts moves on
  std::function<void(double)> pause;                   ///< waits so many seconds; empty: sleeps
};

/// The meters of this start of the program, with the power of the idle devices.
class EnergyProbe {
 public:
  /// Measures idle power. Throws runtime::CannotRunError if nothing counts joules.
  explicit EnergyProbe(runtime::EnergyMeters meters, EnergyOptions options = {});
  /// Repeats 'run' for some seconds. 'on_device': whether the GPU does the work.
  Energy measure(bool on_device, const std::function<void()>& run) const;

 private:
  struct Window {
    double runs = 0, seconds = 0, joules = 0;
  };
  Window window(runtime::EnergyMeter& meter, double seconds, const std::function<void()>& run) const;
  double until_the_counter_moves(runtime::EnergyMeter& meter, const std::function<void()>& run) const;
  double idle_watts(runtime::EnergyMeter* meter) const;

  runtime::EnergyMeters meters_;
  EnergyOptions o_;
  double host_idle_, device_idle_;
};

}  // namespace parity::harness
