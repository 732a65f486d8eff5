// SPDX-License-Identifier: BSD-3-Clause
// Joules of runs whose power is known, on a clock that only the test moves: what the meters say, and when
// they are not believed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "harness/energy.hpp"
#include "harness/measurement.hpp"
#include "runtime/error.hpp"
#include "virtual_clock.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using test::VirtualClock;

/// A device that takes 100 W, and 300 W more while it works. Its counter moves on every tenth of a second.
struct Plant {
  static constexpr double idle = 100, busy = 300;
  double joules = 0, shown = 0, updated = 0, watts = idle, at = runtime::host_seconds();
  double counter_scale = 1, power_scale = 1;
  bool counter = true, power = true, stuck = false;

  void pass(double seconds, double load) {
    while (seconds > 0) {  // in steps, so that the counter is brought up to date on time
      const double step = std::min(seconds, 0.001);
      VirtualClock::pass(step);
      joules += (idle + load) * step;
      updated += step;
      if (updated >= 0.1 && !stuck) shown = joules, updated = 0;
      seconds -= step;
    }
    watts = idle + load;
  }
};

class Meter : public runtime::EnergyMeter {
 public:
  explicit Meter(Plant& plant) : p_(plant) {}
  std::string name() const override { return "plant"; }
  std::optional<double> joules() override {
    return p_.counter ? std::optional(p_.counter_scale * p_.shown) : std::nullopt;
  }
  std::optional<double> watts() override {
    return p_.power ? std::optional(p_.power_scale * p_.watts) : std::nullopt;
  }

 private:
  Plant& p_;
};

class EnergyOfRuns : public testing::Test {
 protected:
  Energy measured(double run_seconds = 0.01) {
    runtime::EnergyMeters meters;
    meters.device = std::make_unique<Meter>(plant_);
    meters.why_no_host = "no counter of the host";
    EnergyOptions options;
    options.pause = [this](double seconds) { plant_.pass(seconds, 0); };
    const EnergyProbe probe(std::move(meters), options);
    EXPECT_EQ(probe.measure(false, [] {}).refused, "no counter of the host");
    return probe.measure(true, [&] { plant_.pass(run_seconds, Plant::busy); });
  }
  const VirtualClock clock_;
  Plant plant_;
};

TEST_F(EnergyOfRuns, AreWhatTheDeviceTook) {
  const Energy e = measured();
  EXPECT_TRUE(e.known()) << e.refused;
  EXPECT_EQ(e.meter, "plant");
  EXPECT_NEAR(e.joules, 4, 0.01);  // 400 W for 0.01 s
  EXPECT_NEAR(e.idle_watts, 100, 1);
  EXPECT_NEAR(e.above_idle(), 3, 0.02);
  EXPECT_NEAR(e.injected, 1, 0.01);
  EXPECT_NEAR(e.counted, e.integrated, 0.02 * e.counted);
  EXPECT_GE(e.seconds, 2);
}

TEST_F(EnergyOfRuns, RepeatWithinThreePercent) {
  for (const double seconds : {0.0003, 0.01, 0.4, 1.1}) {
    const double first = measured(seconds).joules, second = measured(seconds).joules;
    EXPECT_NEAR(second, first, 0.03 * first) << seconds;
    EXPECT_NEAR(first, 400 * seconds, 0.03 * 400 * seconds) << seconds;
  }
}

TEST_F(EnergyOfRuns, ComeFromPowerAloneWhereNothingCounts) {  // a P100
  plant_.counter = false;
  const Energy e = measured();
  EXPECT_TRUE(e.known()) << e.refused;
  EXPECT_NEAR(e.joules, 4, 0.05);
  EXPECT_EQ(e.counted, Energy::none);
}

TEST_F(EnergyOfRuns, ComeFromTheCounterAloneWhereNoPowerIsSaid) {  // RAPL
  plant_.power = false;
  const Energy e = measured();
  EXPECT_TRUE(e.known()) << e.refused;
  EXPECT_NEAR(e.joules, 4, 0.05);
  EXPECT_EQ(e.integrated, Energy::none);
}

TEST_F(EnergyOfRuns, AreRefusedWhereCounterAndPowerDisagree) {
  plant_.counter_scale = 1.3;
  const Energy e = measured();
  EXPECT_FALSE(e.known());
  EXPECT_NE(e.refused.find("the integrated power"), std::string::npos) << e.refused;
  EXPECT_NEAR(e.counted, 1.3 * e.integrated, 0.05 * e.counted) << "both are recorded";
  EXPECT_EQ(e.joules, Energy::none);
}

TEST_F(EnergyOfRuns, AreRefusedWhereTheCounterStandsStill) {
  plant_.stuck = true;
  plant_.power = false;
  EXPECT_NE(measured().refused.find("did not count"), std::string::npos);
}

TEST_F(EnergyOfRuns, AreRefusedWhereAnInjectedRunDoesNotComeBack) {
  // A meter that counts time and not work: twice the work in half the time each is what a run takes, no more.
  runtime::EnergyMeters meters;
  plant_.power = false;
  meters.device = std::make_unique<Meter>(plant_);
  EnergyOptions options;
  options.pause = [this](double seconds) { plant_.pass(seconds, 0); };
  const EnergyProbe probe(std::move(meters), options);
  int runs = 0;
  const Energy e = probe.measure(true, [&] {
    // Whatever comes right after another run takes no time: a cache, or work that was left out.
    plant_.pass(++runs > 300 && runs % 2 == 0 ? 1e-4 : 0.01, Plant::busy);
  });
  EXPECT_NE(e.refused.find("injected"), std::string::npos) << e.refused;
}

TEST(EnergyProbe, SaysInOneLineThatNothingCounts) {
  runtime::EnergyMeters none;
  none.why_no_host = "no host", none.why_no_device = "no GPU";
  try {
    const EnergyProbe probe(std::move(none));
    FAIL();
  } catch (const runtime::CannotRunError& e) {
    EXPECT_STREQ(e.what(), "--energy: nothing counts joules here (no GPU; no host); leave it away");
  }
}

// NVML, by functions of a simulated library.
unsigned long long millijoules = 5000;
unsigned milliwatts = 250000;
int energy_code = 0;

runtime::Nvml simulated() {
  runtime::Nvml f;
  f.init = [] { return 0; };
  f.handle_by_uuid = [](const char* uuid, void** device) {
    *device = &millijoules;
    return std::string(uuid) == "GPU-1" ? 0 : 6;
  };
  f.total_energy = [](void* device, unsigned long long* value) {
    *value = *static_cast<unsigned long long*>(device);
    return energy_code;
  };
  f.power = [](void*, unsigned* value) {
    *value = milliwatts;
    return 0;
  };
  return f;
}

TEST(NvmlMeter, ReadsJoulesAndWatts) {
  std::string why;
  energy_code = 0;
  const auto meter = runtime::nvml_meter(simulated(), "GPU-1", why);
  ASSERT_TRUE(meter) << why;
  EXPECT_EQ(meter->name(), "NVML");
  EXPECT_DOUBLE_EQ(meter->joules().value(), 5);
  EXPECT_DOUBLE_EQ(meter->watts().value(), 250);
}

TEST(NvmlMeter, HasPowerAloneBeforeVolta) {
  std::string why;
  energy_code = 3;  // not supported
  const auto meter = runtime::nvml_meter(simulated(), "GPU-1", why);
  ASSERT_TRUE(meter) << why;
  EXPECT_FALSE(meter->joules());
  EXPECT_TRUE(meter->watts());
  energy_code = 0;
}

TEST(NvmlMeter, IsNotThereForAnotherGpuOrWithoutFunctions) {
  std::string why;
  EXPECT_FALSE(runtime::nvml_meter(simulated(), "GPU-2", why));
  EXPECT_EQ(why, "NVML does not know the GPU");
  EXPECT_FALSE(runtime::nvml_meter({}, "GPU-1", why));
  EXPECT_EQ(why, "NVML does not start");
  runtime::Nvml silent = simulated();
  silent.total_energy = nullptr, silent.power = nullptr;
  EXPECT_FALSE(runtime::nvml_meter(silent, "GPU-1", why));
  EXPECT_EQ(why, "NVML counts neither energy nor power of the GPU");
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
  const auto meter = runtime::rapl_meter(folder_.string(), why_);
  ASSERT_TRUE(meter) << why_;
  const double first = meter->joules().value();
  EXPECT_FALSE(meter->watts());
  package("intel-rapl:0", "package-0", 3e6);
  package("intel-rapl:1", "package-1", 1e6);  // 2 J on: over its range of 10 J
  EXPECT_NEAR(meter->joules().value() - first, 4, 1e-9);
}

TEST_F(RaplMeter, IsNotThereWithoutPackagesOrReadableFiles) {
  EXPECT_FALSE(runtime::rapl_meter((folder_ / "nothing").string(), why_));
  EXPECT_NE(why_.find("has no RAPL packages"), std::string::npos) << why_;
  write("intel-rapl:0", "name", "package-0");  // energy_uj is root's
  EXPECT_FALSE(runtime::rapl_meter(folder_.string(), why_));
  EXPECT_NE(why_.find("may not be read"), std::string::npos) << why_;
}

}  // namespace
