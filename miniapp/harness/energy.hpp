// SPDX-License-Identifier: BSD-3-Clause
// Joules of a run: what the device's counter (NVML or RAPL) says over seconds of runs, beside its idle power.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

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

// What counts joules here: a GPU's by NVML, a host's by RAPL. Either may be missing.

/// Counts the energy of one device.
class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  /// What it reads, for records: "NVML".
  virtual std::string name() const = 0;
  /// Since some moment in the past.
  virtual double joules() = 0;
};

struct EnergyMeters {
  std::unique_ptr<EnergyMeter> host, device;
  std::string why_no_host, why_no_device;  ///< in a few words, where there is none
};

/// Those of this machine and of the GPU in use.
EnergyMeters energy_meters();

/// RAPL's counters below a folder such as /sys/class/powercap: the sum of all packages, of which each begins
/// again at its range. Null with 'why' where there are none that may be read.
std::unique_ptr<EnergyMeter> rapl_meter(const std::string& folder, std::string& why);

/// The functions of NVML that are needed, with its types spelt plainly: 0 is success, 3 'not supported'.
struct Nvml {
  int (*init)() = nullptr;
  int (*handle_by_uuid)(const char* uuid, void** device) = nullptr;
  int (*total_energy)(void* device, unsigned long long* millijoules) = nullptr;  ///< from Volta on
};
/// Those of the library that the driver installs; nullopt where it is missing. It is never linked.
std::optional<Nvml> load_nvml();
/// Of the GPU with this identity; null with 'why' where NVML says nothing of it.
std::unique_ptr<EnergyMeter> nvml_meter(const Nvml& functions, const std::string& uuid, std::string& why);

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
  Window window(EnergyMeter& meter, double seconds, const std::function<void()>& run) const;
  double until_the_counter_moves(EnergyMeter& meter, const std::function<void()>& run) const;
  double idle_watts(EnergyMeter* meter) const;

  EnergyMeters meters_;
  EnergyOptions o_;
  double host_idle_, device_idle_;
};

}  // namespace parity::harness
