// SPDX-License-Identifier: BSD-3-Clause
// Joules per run, from the device's counter (NVML or RAPL) over seconds of runs; also the idle power.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "harness/measurement.hpp"

namespace parity::harness {

// Energy meters: NVML for a GPU, RAPL for a host. Either may be missing.

/// Counts the energy of one device.
struct EnergyMeter {
  std::string name;                ///< name for records: "NVML"
  std::function<double()> joules;  ///< since an arbitrary moment
};

struct EnergyMeters {
  std::optional<EnergyMeter> host, device;
  std::string why_no_host, why_no_device;  ///< in a few words, if the meter is missing
};

/// The meters of this machine and of the GPU in use.
EnergyMeters energy_meters();

/// Sums the RAPL counters of all packages below a folder such as /sys/class/powercap; each wraps around at
/// its range. Returns nullopt and sets 'why' if none can be read.
std::optional<EnergyMeter> rapl_meter(const std::string& folder, std::string& why);

/// The NVML functions that Parity uses, with plain types. Status 0 is success, 3 'not supported'.
struct Nvml {
  int (*init)() = nullptr;
  int (*handle_by_uuid)(const char* uuid, void** device) = nullptr;
  int (*total_energy)(void* device, unsigned long long* millijoules) = nullptr;  ///< from Volta on
};
/// Loads them from the driver's library at run time; nullopt if it is missing. Parity never links it.
std::optional<Nvml> load_nvml();
/// The meter of the GPU with this UUID; nullopt, with 'why', if NVML cannot count its energy.
std::optional<EnergyMeter> nvml_meter(const Nvml& functions, const std::string& uuid, std::string& why);

struct EnergyOptions {
  double idle_seconds = 1, lead_seconds = 0.5, window_seconds = 2;
  double between_reads = 0.01, between_updates = 0.2;  ///< a working counter moves within the latter
  std::function<void(double)> pause;                   ///< waits for a number of seconds; empty: sleeps
};

/// The meters of this process, with the power of the idle devices.
class EnergyProbe {
 public:
  /// Measures idle power. Throws runtime::CannotRunError if nothing counts joules.
  explicit EnergyProbe(EnergyMeters meters, EnergyOptions options = {});
  /// Repeats 'run' for some seconds. 'on_device' is true if the GPU does the work.
  Energy measure(bool on_device, const std::function<void()>& run) const;

 private:
  struct Window {
    double runs = 0, seconds = 0, joules = 0;
  };
  Window window(const EnergyMeter& meter, double seconds, const std::function<void()>& run) const;
  double until_the_counter_moves(const EnergyMeter& meter, const std::function<void()>& run) const;
  double idle_watts(const std::optional<EnergyMeter>& meter) const;

  EnergyMeters meters_;
  EnergyOptions o_;
  double host_idle_, device_idle_;
};

}  // namespace parity::harness
