// SPDX-License-Identifier: BSD-3-Clause
// Joules of runs whose power is known, on a clock that only the test moves: what the meters say, and when
// they are not believed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "harness/energy.hpp"
#include "harness/measurement.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "virtual_clock.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using test::VirtualClock;

/// A device that takes 100 W, 300 W more while it works, and 500 W more while the injected load does. Its
/// counter moves on every tenth of a second.
struct Plant {
  static constexpr double idle = 100, busy = 300, burning = 500;
  double joules = 0, shown = 0, updated = 0, watts = idle, at = runtime::host_seconds();
  double counter_scale = 1, power_scale = 1;
  bool counter = true, power = true, stuck = false, time_alone = false;
  bool after_work = false;              ///< runs came right before
  double lost_after_work = 0;           ///< share of a load's energy that is not seen then
  double of_runs = 1, beside_runs = 0;  ///< the meter takes a run's watts so many times, and adds some
  std::optional<double> limit = 700;

  void pass(double seconds, double load) {
    while (seconds > 0) {  // in steps, so that the counter is brought up to date on time
      const double step = std::min(seconds, 0.001);
      VirtualClock::pass(step);
      joules += (time_alone ? idle : idle + load) * step;
      updated += step;
      if (updated >= 0.1 && !stuck) shown = joules, updated = 0;
      seconds -= step;
    }
    watts = time_alone ? idle : idle + load;
  }
};

struct Load : runtime::Burner {
  explicit Load(Plant& plant) : p(plant) {}
  void start() override {
    p.pass(0.002, Plant::burning);
    if (p.after_work) p.joules -= p.lost_after_work * 0.002 * Plant::burning;
  }
  void wait() override {}
  Plant& p;
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
  std::optional<double> limit_watts() override { return p_.limit; }

 private:
  Plant& p_;
};

class EnergyOfRuns : public testing::Test {
 protected:
  Energy measured(double run_seconds = 0.01) {
    runtime::EnergyMeters meters;
    meters.device = std::make_unique<Meter>(plant_);
    if (load_) meters.device_load = std::make_unique<Load>(plant_);
    plant_.after_work = false;
    meters.why_no_host = "no counter of the host";
    EnergyOptions options;
    options.pause = [this](double seconds) { plant_.pass(seconds, 0); };
    const EnergyProbe probe(std::move(meters), options);
    EXPECT_EQ(probe.measure(false, [] {}).refused, "no counter of the host");
    return probe.measure(true, [&] {
      plant_.after_work = true;
      plant_.pass(run_seconds,
                  plant_.of_runs * (Plant::idle + Plant::busy) + plant_.beside_runs - Plant::idle);
    });
  }
  const VirtualClock clock_;
  Plant plant_;
  bool load_ = true;
};

TEST_F(EnergyOfRuns, AreWhatTheDeviceTook) {
  const Energy e = measured();
  EXPECT_TRUE(e.known()) << e.refused;
  EXPECT_EQ(e.meter, "plant");
  EXPECT_NEAR(e.joules, 4, 0.01);  // 400 W for 0.01 s
  EXPECT_NEAR(e.idle_watts, 100, 1);
  EXPECT_NEAR(e.above_idle(), 3, 0.02);
  EXPECT_NEAR(e.load_watts, 600, 6);
  EXPECT_NEAR(e.load_found, 1, 0.02);
  EXPECT_EQ(e.limit_watts, 700);
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

TEST_F(EnergyOfRuns, FindAnInjectedLoadHoweverLongARunTakes) {
  for (const double seconds : {0.00001, 0.0003, 0.002, 0.05, 0.9, 3.1}) {
    const Energy e = measured(seconds);
    EXPECT_TRUE(e.known()) << seconds << ": " << e.refused;
    EXPECT_NEAR(e.load_found, 1, seconds < 0.5 ? 0.03 : 0.08) << seconds;
  }
}

TEST_F(EnergyOfRuns, AreRefusedWhereTheMeterSeesTimeAlone) {  // as if whatever runs took the same power
  plant_.time_alone = true;
  const Energy e = measured();
  EXPECT_NE(e.refused.find("does not see work: 100 W while a load runs, 100 W while nothing does"),
            std::string::npos)
      << e.refused;
}

TEST_F(EnergyOfRuns, AreRefusedWhereTheMeterSaysLessThanOfTheIdleDevice) {
  plant_.of_runs = 0.2;  // 80 W of 100 W
  const Energy e = measured();
  EXPECT_NE(e.refused.find("80 W while the runs are at work, 100 W while nothing is"), std::string::npos)
      << e.refused;
  EXPECT_EQ(e.joules, Energy::none);
}

TEST_F(EnergyOfRuns, AreRefusedWhereTheMeterSaysMoreThanTheDeviceMayTake) {
  plant_.of_runs = 2;  // 800 W of 700 W
  const Energy e = measured();
  EXPECT_NE(e.refused.find("800 W while the runs are at work, of 700 W"), std::string::npos) << e.refused;
  EXPECT_EQ(e.joules, Energy::none);
  plant_.limit = std::nullopt;
  EXPECT_TRUE(measured().known()) << "where nothing says what the device may take, nothing sees it";
}

// The limit of these checks, which the page names: what a meter makes of the runs alone cancels in the load
// that is found again.
TEST_F(EnergyOfRuns, AreBelievedOfAMeterThatIsWrongOfTheRunsAloneBetweenIdleAndLimit) {
  for (const auto& [of_runs, beside_runs] :
       {std::pair(0.5, 0.0), std::pair(1.0, 200.0), std::pair(1.5, 0.0)}) {
    plant_.of_runs = of_runs, plant_.beside_runs = beside_runs;
    const Energy e = measured();
    EXPECT_TRUE(e.known()) << e.refused;
    EXPECT_NEAR(e.load_found, 1, 0.03);
    EXPECT_NEAR(e.joules, 0.01 * (400 * of_runs + beside_runs), 0.05);
  }
}

TEST_F(EnergyOfRuns, AreRefusedWherePartOfAnInjectedLoadIsLost) {
  plant_.power = false;
  plant_.lost_after_work = 0.3;
  const Energy e = measured();
  EXPECT_NE(e.refused.find("came back as 0.7"), std::string::npos) << e.refused;
  EXPECT_EQ(e.joules, Energy::none);
}

TEST_F(EnergyOfRuns, AreRefusedWhereRunsAreLeftOutBesideALoad) {
  // What comes right after a load takes no time: a cache, or work that was left out.
  runtime::EnergyMeters meters;
  plant_.power = false;
  meters.device = std::make_unique<Meter>(plant_);
  struct Noted : Load {
    using Load::Load;
    void start() override {
      Load::start();
      burnt = true;
    }
    bool burnt = false;
  };
  auto load = std::make_unique<Noted>(plant_);
  Noted* const noted = load.get();
  meters.device_load = std::move(load);
  EnergyOptions options;
  options.pause = [this](double seconds) { plant_.pass(seconds, 0); };
  const EnergyProbe probe(std::move(meters), options);
  noted->burnt = false;
  const Energy e = probe.measure(true, [&] { plant_.pass(noted->burnt ? 1e-4 : 0.01, Plant::busy); });
  EXPECT_NE(e.refused.find("injected"), std::string::npos) << e.refused;
}

TEST_F(EnergyOfRuns, AreRefusedWhereNoLoadCanBeInjected) {
  load_ = false;
  EXPECT_EQ(measured().refused, "there is no load that could be injected");
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

// On a GPU whose energy is counted: what burns beside a run, in a stream of its own, is seen as more joules.
class EnergyOfAGpu : public testing::Test {
 protected:
  void SetUp() override {
    auto meters = runtime::energy_meters();
    if (!meters.device) GTEST_SKIP() << meters.why_no_device;
    std::printf("%s\n", runtime::device()->name.c_str());
    run_ = runtime::device_burner(), beside_ = runtime::device_burner();
    probe_ = std::make_unique<EnergyProbe>(std::move(meters));
  }
  Energy measured(int beside) {
    const Energy e = probe_->measure(true, [&] {
      for (int k = 0; k < beside; ++k) beside_->start();
      run_->burn();
      beside_->wait();
    });
    std::printf(
        "%d beside: %.4g J a run (%.0f runs in %.2f s), counted %.1f J, integrated %.1f J, idle %.1f W, "
        "load %.1f W, injected %.3f %s\n",
        beside, e.joules, e.runs, e.seconds, e.counted, e.integrated, e.idle_watts, e.load_watts,
        e.load_found, e.refused.c_str());
    EXPECT_TRUE(e.known()) << e.refused;
    return e;
  }
  std::unique_ptr<runtime::Burner> run_, beside_;
  std::unique_ptr<EnergyProbe> probe_;
};

TEST_F(EnergyOfAGpu, RepeatsWithinThreePercent) {
  const double first = measured(0).joules, second = measured(0).joules;
  EXPECT_NEAR(second, first, 0.03 * first);
}

TEST_F(EnergyOfAGpu, SeesWhatBurnsBeside) {
  const double alone = measured(0).joules, one = measured(1).joules, two = measured(2).joules;
  EXPECT_NEAR(one, 2 * alone, 0.2 * alone);
  EXPECT_NEAR(two, 3 * alone, 0.3 * alone);
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
  f.power_limit = [](void*, unsigned* value) {
    *value = 700000;
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
  EXPECT_DOUBLE_EQ(meter->limit_watts().value(), 700);
  runtime::Nvml old = simulated();
  old.power_limit = nullptr;
  EXPECT_FALSE(runtime::nvml_meter(old, "GPU-1", why)->limit_watts());
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
  EXPECT_FALSE(meter->limit_watts());
  write("intel-rapl:0", "constraint_0_power_limit_uw", "100000000");
  EXPECT_FALSE(meter->limit_watts()) << "one package says nothing";
  write("intel-rapl:1", "constraint_0_power_limit_uw", "100000000");
  write("intel-rapl:1", "constraint_1_power_limit_uw", "120000000");
  EXPECT_DOUBLE_EQ(meter->limit_watts().value(), 220);
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
