// SPDX-License-Identifier: BSD-3-Clause
// What counts joules here: a GPU's by NVML, a host's by RAPL. Either may be missing.
#pragma once
#include <memory>
#include <optional>
#include <string>

namespace parity::runtime {

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

}  // namespace parity::runtime
