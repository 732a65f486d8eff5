// SPDX-License-Identifier: BSD-3-Clause
// Joules of runs with known power, on a clock that only the test moves.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness/energy.hpp"
#include "runtime/error.hpp"
#include "virtual_clock.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using test::VirtualClock;

/// A device that takes 100 W, and 300 W more while it works. Its counter updates every tenth of a second.
struct Meter {
  double used = 0, shown = 0, updated = 0;
  void pass(double seconds, double watts) {
    while (seconds > 0) {  // in steps, so that the counter updates on time
      const double step = std::min(seconds, 0.001);
      VirtualClock::pass(step);
      used += watts * step;
      updated += step;
      if (updated >= 0.1) shown = used, updated = 0;
      seconds -= step;
    }
  }
};

Energy measured(double run_seconds) {
  const VirtualClock clock;
  EnergyMeters meters;
  Meter meter;
  meters.device = EnergyMeter{"plant", [&meter] { return meter.shown; }};
  meters.why_no_host = "no counter of the host";
  EnergyOptions options;
  options.pause = [&](double seconds) { meter.pass(seconds, 100); };
  const EnergyProbe probe(std::move(meters), options);
  EXPECT_EQ(probe.measure(false, [] {}).refused, "no counter of the host");
  return probe.measure(true, [&] { meter.pass(run_seconds, 400); });
}

TEST(EnergyProbe, CountsWhatTheDeviceTookAndWhatItTakesIdle) {
  for (const double seconds : {0.00001, 0.0003, 0.01, 0.4, 1.1}) {
    const Energy e = measured(seconds);
    EXPECT_TRUE(e.known()) << e.refused;
    EXPECT_EQ(e.meter, "plant");
    EXPECT_GE(e.seconds, 2);
    EXPECT_NEAR(e.idle_watts, 100, 1);
    EXPECT_NEAR(e.joules, 400 * seconds, 0.03 * 400 * seconds) << seconds;
    EXPECT_NEAR(e.above_idle(), 300 * seconds, 0.03 * 400 * seconds) << seconds;
    EXPECT_DOUBLE_EQ(e.counted, e.joules * e.runs);
  }
}

// NVML, as functions of a simulated library.
unsigned long long millijoules = 5000;
int energy_code = 0;

Nvml simulated() {
  Nvml f;
  f.init = [] { return 0; };
  f.handle_by_uuid = [](const char* uuid, void** device) {
    *device = &millijoules;
    return std::string(uuid) == "GPU-1" ? 0 : 6;
  };
  f.total_energy = [](void* device, unsigned long long* value) {
    *value = *static_cast<unsigned long long*>(device);
    return energy_code;
  };
  return f;
}

TEST(NvmlMeter, ReadsJoulesOfAGpuThatCountsThem) {
  std::string why;
  const auto meter = nvml_meter(simulated(), "GPU-1", why);
  ASSERT_TRUE(meter) << why;
  EXPECT_EQ(meter->name, "NVML");
  EXPECT_DOUBLE_EQ(meter->joules(), 5);
  const auto refused = [&why](const Nvml& f, const char* uuid, const char* reason) {
    EXPECT_FALSE(nvml_meter(f, uuid, why));
    EXPECT_NE(why.find(reason), std::string::npos) << why;
  };
  energy_code = 3;  // not supported, before Volta
  refused(simulated(), "GPU-1", "does not count the GPU's energy");
  energy_code = 0;
  refused(simulated(), "GPU-2", "NVML does not know the GPU");
  refused({}, "GPU-1", "NVML does not start");
  Nvml silent = simulated();
  silent.total_energy = nullptr;
  refused(silent, "GPU-1", "does not count");
}

class RaplMeter : public testing::Test {
 protected:
  RaplMeter()
      : folder_(std::filesystem::temp_directory_path() / ("parity-rapl-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~RaplMeter() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& domain, const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(folder_ / domain);
    std::ofstream(folder_ / domain / file) << text << "\n";
  }
  void package(const std::string& domain, const std::string& name, double microjoules) const {
    write(domain, "name", name);
    write(domain, "energy_uj", std::to_string(std::int64_t(microjoules)));
    write(domain, "max_energy_range_uj", "10000000");
  }
  std::filesystem::path folder_;
  std::string why_;
};

TEST_F(RaplMeter, AddsPackagesAndGoesOnWhereOneBeginsAgain) {
  package("intel-rapl:0", "package-0", 1e6);
  package("intel-rapl:1", "package-1", 9e6);
  package("intel-rapl:0:0", "core", 5e6);          // part of a package
  package("intel-rapl:2", "psys", 5e6);            // the whole machine
  package("intel-rapl-mmio:0", "package-0", 1e6);  // the same again
  const auto meter = rapl_meter(folder_.string(), why_);
  ASSERT_TRUE(meter) << why_;
  const double first = meter->joules();
  package("intel-rapl:0", "package-0", 3e6);
  package("intel-rapl:1", "package-1", 1e6);  // 2 J more: the counter wraps at 10 J
  EXPECT_NEAR(meter->joules() - first, 4, 1e-9);
}

TEST_F(RaplMeter, IsNotThereWithoutPackagesOrReadableFiles) {
  EXPECT_FALSE(rapl_meter((folder_ / "nothing").string(), why_));
  EXPECT_NE(why_.find("has no RAPL packages"), std::string::npos) << why_;
  write("intel-rapl:0", "name", "package-0");  // only root can read energy_uj
  EXPECT_FALSE(rapl_meter(folder_.string(), why_));
  EXPECT_NE(why_.find("may not be read"), std::string::npos) << why_;
}

}  // namespace
