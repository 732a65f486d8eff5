// SPDX-License-Identifier: BSD-3-Clause
// Joules of a run: what the device's counter (NVML or RAPL) says over seconds of runs, beside its idle power.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "harness/measurement.hpp"

namespace parity::harness {

// What counts joules here: a GPU's by NVML, a host's by RAPL. Either may be missing.

/// Counts the energy of one device.
struct EnergyMeter {
  std::string name;                ///< what it reads, for records: "NVML"
  std::function<double()> joules;  ///< since some moment in the past
};

struct EnergyMeters {
  std::optional<EnergyMeter> host, device;
  std::string why_no_host, why_no_device;  ///< in a few words, where there is none
};

/// Those of this machine and of the GPU in use.
EnergyMeters energy_meters();

/// RAPL's counters below a folder such as /sys/class/powercap: the sum of all packages, of which each begins
/// again at its range. Nothing with 'why' where there are none that may be read.
std::optional<EnergyMeter> rapl_meter(const std::string& folder, std::string& why);

/// The functions of NVML that are needed, with its types spelt plainly: 0 is success, 3 'not supported'.
struct Nvml {
  int (*init)() = nullptr;
  int (*handle_by_uuid)(const char* uuid, void** device) = nullptr;
  int (*total_energy)(void* device, unsigned long long* millijoules) = nullptr;  ///< from Volta on
};
/// Those of the library that the driver installs; nullopt where it is missing. It is never linked.
std::optional<Nvml> load_nvml();
/// Of the GPU with this identity; nothing with 'why' where NVML says nothing of it.
std::optional<EnergyMeter> nvml_meter(const Nvml& functions, const std::string& uuid, std::string& why);

struct EnergyOptions {
  double idle_seconds = 1, lead_seconds = 0.5, window_seconds = 2;
  double between_reads = 0.01, between_updates = 0.2;  ///< within which a counter that counts moves on
  std::function<void(double)> pause;                   ///< waits so many seconds; empty: sleeps
};

/// The meters of this start of the program, with the power of the idle devices.
class EnergyProbe {
 public:
  /// Measures idle power. Throws runtime::CannotRunError if nothing counts joules.
  explicit EnergyProbe(EnergyMeters meters, EnergyOptions options = {});
  /// Repeats 'run' for some seconds. 'on_device': whether the GPU does the work.
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
