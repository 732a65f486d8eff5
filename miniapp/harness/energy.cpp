// SPDX-License-Identifier: BSD-3-Clause
#include "harness/energy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <type_traits>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/signals.hpp"

namespace parity::harness {
namespace {

std::optional<double> value_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? std::optional<double>(value) : std::nullopt;
}

struct Package {
  std::filesystem::path folder;
  double range = 0;  ///< microjoules at which the counter wraps around
  double last = 0, before = 0;
};

/// Repeats 'run' for at least so many seconds, at least once. Returns the number of runs.
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

std::optional<EnergyMeter> rapl_meter(const std::string& folder, std::string& why) {
  std::vector<Package> packages;
  bool forbidden = false;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    // intel-rapl:0 is a package (also on AMD), intel-rapl:0:1 a part of it; intel-rapl-mmio counts it again.
    const std::string name = entry.path().filename().string();
    std::string kind;
    if (name.rfind("intel-rapl:", 0) != 0 || std::count(name.begin(), name.end(), ':') != 1) continue;
    if (std::ifstream in(entry.path() / "name"); !(in >> kind) || kind.rfind("package", 0) != 0) continue;
    const auto now = value_in(entry.path() / "energy_uj");
    const auto range = value_in(entry.path() / "max_energy_range_uj");
    if (now && range)
      packages.push_back({entry.path(), *range, *now});
    else
      forbidden = true;
  }
  if (packages.empty() || forbidden) {
    why = forbidden ? folder + "/intel-rapl:*/energy_uj may not be read: ask who may (root: chmod a+r)"
                    : folder + " has no RAPL packages";
    return std::nullopt;
  }
  return EnergyMeter{"RAPL", [packages]() mutable {
                       double sum = 0;
                       for (Package& p : packages) {
                         const double now = value_in(p.folder / "energy_uj").value_or(p.last);
                         if (now < p.last) p.before += p.range;
                         p.last = now;
                         sum += p.before + now;
                       }
                       return 1e-6 * sum;
                     }};
}

std::optional<Nvml> load_nvml() {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // never unloaded
  if (!library) return std::nullopt;
  Nvml f;
  const auto find = [library](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find("nvmlInit_v2", f.init);
  find("nvmlDeviceGetHandleByUUID", f.handle_by_uuid);
  find("nvmlDeviceGetTotalEnergyConsumption", f.total_energy);
  return f;
}

std::optional<EnergyMeter> nvml_meter(const Nvml& f, const std::string& uuid, std::string& why) {
  void* device = nullptr;
  unsigned long long millijoules = 0;
  if (!f.init || !f.handle_by_uuid || f.init() != 0) {
    why = "NVML does not start";
  } else if (f.handle_by_uuid(uuid.c_str(), &device) != 0) {
    why = "NVML does not know the GPU";
  } else if (!f.total_energy || f.total_energy(device, &millijoules) != 0) {
    why = "NVML does not count the GPU's energy (it does from Volta on)";
  } else {
    return EnergyMeter{"NVML", [f, device, millijoules]() mutable {
                         f.total_energy(device, &millijoules);
                         return 1e-3 * double(millijoules);
                       }};
  }
  return std::nullopt;
}

EnergyMeters energy_meters() {
  EnergyMeters meters;
  const char* const folder = std::getenv("PARITY_POWERCAP");
  meters.host = rapl_meter(folder ? folder : "/sys/class/powercap", meters.why_no_host);
  std::string why;
  const auto gpu = runtime::device(&why);
  if (!gpu)
    meters.why_no_device = "no GPU can be used";
  else if (const auto nvml = load_nvml())
    meters.device = nvml_meter(*nvml, gpu->uuid, meters.why_no_device);
  else
    meters.why_no_device = "there is no NVML (libnvidia-ml.so.1)";
  return meters;
}

EnergyProbe::EnergyProbe(EnergyMeters meters, EnergyOptions options)
    : meters_(std::move(meters)), o_(std::move(options)) {
  if (!meters_.host && !meters_.device)
    throw runtime::CannotRunError(fmt::format("--energy: nothing counts joules here ({}; {}); omit it",
                                              meters_.why_no_device, meters_.why_no_host));
  if (!o_.pause)
    o_.pause = [](double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); };
  host_idle_ = idle_watts(meters_.host);
  device_idle_ = idle_watts(meters_.device);
}

double EnergyProbe::idle_watts(const std::optional<EnergyMeter>& meter) const {
  if (!meter) return Energy::none;
  const Window idle = window(*meter, o_.idle_seconds, [this] { o_.pause(o_.between_reads); });
  return idle.joules / idle.seconds;
}

/// Runs until the counter is updated, which begins and ends a window. Reading the counter takes milliseconds
/// in which the device idles, so it is read only now and then. Returns the number of runs.
double EnergyProbe::until_the_counter_moves(const EnergyMeter& meter,
                                            const std::function<void()>& run) const {
  const double first = meter.joules(), start = runtime::host_seconds();
  double runs = 0;
  while (meter.joules() == first && runtime::host_seconds_since(start) < o_.between_updates)
    runs += repeat(o_.between_reads, run);
  return runs;
}

EnergyProbe::Window EnergyProbe::window(const EnergyMeter& meter, double seconds,
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
  const std::optional<EnergyMeter>& meter = on_device ? meters_.device : meters_.host;
  if (!meter) {
    e.refused = on_device ? meters_.why_no_device : meters_.why_no_host;
    return e;
  }
  e.meter = meter->name;
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
