// SPDX-License-Identifier: BSD-3-Clause
// The launch study: its checks on a probe with a simulated clock, the count of events on real probes, the
// analysis of its records, and every variant on a GPU.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/findings.hpp"
#include "harness/environment.hpp"
#include "harness/measure.hpp"
#include "harness/records.hpp"
#include "launch/quantity.hpp"
#include "launch/study.hpp"
#include "launch/trial.hpp"
#include "measurements.hpp"
#include "runtime/clock.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/hold.hpp"
#include "runtime/stream.hpp"

namespace {

using namespace parity;
using namespace parity::launch;
using namespace parity::analysis;
using harness::Measurement;
using launch::study;

/// A host with a clock that only a probe moves, so that the tests do not depend on the machine.
struct FakeHost {
  double now = 0;
  double longer = 1;     ///< factor by which injected delays are longer
  int disturbed = 1000;  ///< number of waits until the disturbance ends
  int events_for_100 = 100;
  int others = 7;  ///< events whose work outside their kernel is done
};
FakeHost host;
double fake_seconds() { return host.now; }

class FakeProbe : public Probe {
 public:
  void start(int count, const Work& work) override {
    const int events = count * host.events_for_100 / 100;
    const double factor = work.extra_ticks > 0 && host.disturbed-- > 0 ? host.longer : 1;
    host.now += 1e-6 + count * (1e-6 + 1e-9 * factor * double(work.extra_ticks));
    if (work.count) *work.count += events;
  }
  void synchronise() override { host.now += 1e-6; }
  std::optional<int> others_over() override { return host.others; }
};

Entry fake_entry() {
  Entry e;
  e.name = "fake";
  e.family = harness::Family::openmp;
  e.role = Role::fork_join;
  e.make = [](const Problem&) { return std::make_unique<FakeProbe>(); };
  return e;
}

harness::Measurement measured_on(const FakeHost& machine) {
  host = machine;
  const runtime::ReplacedHostClock clock(fake_seconds);
  static const Entry e = fake_entry();
  Problem p;
  p.quantity = "null-overhead";
  p.launches = 20;
  harness::RunOptions o;
  o.repeats = 15, o.processes = 1;
  return harness::measure(*study().task_of(p), {harness::Choice{&e}}, o).rows.at(0);
}

/// True if this result makes the run exit with an error.
bool makes_the_run_fail(const Measurement& row) {
  const std::string file = testing::TempDir() + "/launch_checks_" + std::to_string(getpid()) + ".jsonl";
  harness::RecordFile records(file, harness::Existing::refuse, harness::this_environment());
  records.begin();
  records.append(row);
  std::remove(file.c_str());
  return !records.wrong_rows().empty();
}

TEST(LaunchChecks, ARightQuantityPassesWithoutACaveat) {
  const Measurement r = measured_on({});
  EXPECT_TRUE(r.verdict.passed() && r.verdict.caveat.empty()) << r.verdict.reference;
  EXPECT_NEAR(r.host().value, 1e-6, 1e-12);
  EXPECT_FALSE(makes_the_run_fail(r));
}

TEST(LaunchChecks, ADelayThatDoesNotComeBackMakesARowUnreliableAndNotWrong) {
  for (const double longer : {0.0, 0.9, 1.085, 9.0}) {
    FakeHost noisy;
    noisy.longer = longer;
    noisy.disturbed = 1 << 30;
    const Measurement r = measured_on(noisy);
    EXPECT_TRUE(r.verdict.passed() && r.timed()) << longer;
    EXPECT_NE(r.verdict.caveat.find("injected delay of 20 us, came back as"), std::string::npos) << longer;
    EXPECT_FALSE(makes_the_run_fail(r)) << longer;
    EXPECT_EQ(harness::measurement_of(harness::to_json(r), "").verdict.caveat, r.verdict.caveat);
  }
}

TEST(LaunchChecks, WhatDisturbedOneTurnIsAskedAgain) {
  FakeHost once;
  once.longer = 1.5;
  once.disturbed = 36;  // two runs each of two delays, nine times
  const Measurement r = measured_on(once);
  EXPECT_TRUE(r.verdict.passed() && r.verdict.caveat.empty()) << r.verdict.reference;
  EXPECT_LT(host.disturbed, 0);
}

TEST(LaunchChecks, WrongCountsOfEventsAreWrongAndHaveNoSamples) {
  for (const int events : {0, 50, 95, 200}) {
    FakeHost wrong;
    wrong.events_for_100 = events;
    const Measurement r = measured_on(wrong);
    EXPECT_FALSE(r.verdict.passed()) << events;
    EXPECT_FALSE(r.timed());
    EXPECT_TRUE(makes_the_run_fail(r)) << events;
  }
}

TEST(LaunchChecks, WorkBesidesTheKernelsMustBeDone) {
  for (const int done : {0, 6, 7, 8}) {
    FakeHost machine;
    machine.others = done;
    const Measurement r = measured_on(machine);
    EXPECT_EQ(r.verdict.passed(), done == 7) << done << ": " << r.verdict.reference;
    const std::string said = "of 7 events " + std::to_string(done) + " did their work besides the kernel";
    EXPECT_EQ(r.verdict.reference == said, done != 7) << r.verdict.reference;
  }
}

TEST(LaunchChecks, ADelayedCallTakesLonger) {
  FakeProbe probe;
  for (const Step step : {Step::start, Step::synchronise}) {
    DelayedProbe delayed(probe, step, 50e-6);
    const std::int64_t begin = raw_nanoseconds();
    step == Step::start ? delayed.start(1, {}) : delayed.synchronise();
    EXPECT_GE(raw_nanoseconds() - begin, 50000);
  }
}

TEST(LaunchChecks, BuffersTellWrongResults) {
  Buffers b(false, 36);
  b.fill();
  EXPECT_TRUE(std::isinf(b.error(36))) << "nothing was written yet";
  const Work w = b.work();
  for (int i = 0; i < 36; ++i) compute<Kind::copy>(w, i);
  EXPECT_EQ(b.error(36), 0);
  w.to[32] *= 1.01f;
  EXPECT_GT(b.error(36), 1e-3);
}

TEST(LaunchProblem, ProductsHoldEachMeasurementOnce) {
  const auto same = [](const Problem& x, const Problem& y) {
    return study().list().values(x) == study().list().values(y);
  };
  Problem a, b;
  b.unit = Unit::nanosleep;
  b.bytes = 4096;
  b.topology = Topology::fork;
  EXPECT_TRUE(same(canonical(a), canonical(b))) << "none of it bears on null-overhead";
  a.quantity = b.quantity = "fusion-overhead";
  EXPECT_FALSE(same(canonical(a), canonical(b)));
}

TEST(LaunchFindings, Equation3IsOfRowsOfTheSameProcesses) {
  std::vector<Measurement> rows;
  for (const auto& [quantity, us] : std::initializer_list<std::pair<const char*, double>>{
           {"total-overhead", 4.6}, {"dispatch", 2}, {"fusion-overhead", 1.3}, {"other-overhead", 1.3}}) {
    Problem p;
    p.quantity = quantity;
    rows.push_back(test::row("launch", "cuda-kernel", study().list().values(p),
                             {1e-6 * us, 1e-6 * (us + 0.01), 1e-6 * (us - 0.01)}));
  }
  const auto found = [&rows] { return equation_3(launch_findings(rows)); };
  ASSERT_EQ(found().size(), 1u);
  EXPECT_TRUE(found()[0].holds() && found()[0].decides());
  EXPECT_NEAR(found()[0].rest.value, 0, 0.03e-6);
  EXPECT_EQ(found()[0].total, rows[0].host().value);
  Equation3 wide = found()[0];
  wide.rest.interval = harness::Interval{-0.2 * wide.total, 0.2 * wide.total};
  EXPECT_TRUE(wide.holds() && !wide.decides());
  for (std::vector<double>& s : rows[3].host_seconds) s.front() += 2e-6;
  EXPECT_FALSE(found().at(0).holds());
  for (std::string& process : rows[3].process_names) process += " of another run";
  EXPECT_TRUE(found().empty()) << "never in one process";
  rows.erase(rows.begin());
  EXPECT_TRUE(found().empty()) << "a term is missing";
}

TEST(LaunchFindings, FunctionsOfSeveralDevicesAreNamedApart) {
  std::vector<Measurement> rows;
  for (const int devices : {1, 2})
    for (const char* quantity : {"null-overhead", "fusion-overhead"}) {
      Problem p;
      p.quantity = quantity, p.devices = devices;
      rows.push_back(test::row("launch", "cuda-kernel-multi-device", study().list().values(p),
                               {1e-6 * devices, 1.01e-6 * devices}));
    }
  const LaunchFindings found = launch_findings(rows);
  std::vector<std::string> names;
  for (const LaunchFunction& f : found.functions)
    if (f.unit == "spin") {
      names.push_back(f.variant);
      EXPECT_EQ(f.rows.size(), 2u) << f.variant;
    }
  EXPECT_EQ(names,
            (std::vector<std::string>{"cuda-kernel-multi-device", "cuda-kernel-multi-device, 2 GPUs"}));
}

// Tests that need a device.
#define NEEDS_GPU() \
  std::string why;  \
  if (!runtime::device(&why)) GTEST_SKIP() << "no GPU: " << why

TEST(LaunchDevice, WatchdogEndsAHeldStream) {
  NEEDS_GPU();
  const runtime::Stream stream;
  runtime::Hold hold(stream.get(), 0.05);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_THROW(hold.release(), runtime::CannotRunError);
  runtime::Hold again(stream.get(), 2.0);
  EXPECT_NO_THROW(again.release());
}

TEST(LaunchDevice, GridsThatAreNotResidentAreRefused) {
  NEEDS_GPU();
  Problem p;
  p.quantity = "barrier";
  p.blocks = 1 << 20;
  for (const Entry& e : registry())
    for (const char* name :
         {"cuda-barrier-grid", "cuda-barrier-grid-atomic", "cuda-barrier-neighbours", "kokkos-barrier-grid"})
      if (e.name == name) {
        EXPECT_TRUE(study().task_of(p)->why_not(harness::Choice{&e}).has_value()) << name;
      }
}

TEST(LaunchDevice, EveryVariantMeasures) {
  NEEDS_GPU();
  harness::RunOptions o;
  o.repeats = 3, o.processes = 1;
  int asked = 0, reliable = 0;
  for (const Entry& e : registry())
    for (const Quantity& q : quantities()) {
      Problem p;
      p.quantity = q.name;
      p.launches = 20;
      p.blocks = 8;
      const auto task = study().task_of(p);
      if (task->why_not(harness::Choice{&e})) continue;
      const harness::Measured r = harness::measure(*task, {harness::Choice{&e}}, o);
      ASSERT_EQ(r.rows.size() + r.skipped.size(), 1u) << e.name << " " << q.name;
      for (const harness::Measurement& m : r.rows) {
        EXPECT_TRUE(m.verdict.passed()) << e.name << " " << q.name << ": " << m.verdict.reference;
        reliable += m.verdict.caveat.empty();
      }
      ++asked;
    }
  EXPECT_GT(2 * reliable, asked) << "delays come back in most of them";
}

/// A real graph that never takes new arguments.
class Stubborn : public runtime::Graph {
 public:
  explicit Stubborn(std::unique_ptr<runtime::Graph> inner) : inner_(std::move(inner)) {}
  void instantiate() override { inner_->instantiate(); }
  void upload() override { inner_->upload(); }
  void launch() override { inner_->launch(); }
  void update_from(const runtime::Graph&) override {}
  void update_node_from(const runtime::Graph&, int) override {}

 private:
  std::unique_ptr<runtime::Graph> inner_;
};

/// A real probe with stubborn graphs, and with a wait that may return early.
class Faulty : public Probe {
 public:
  Faulty(Probe& inner, bool waits) : inner_(inner), waits_(waits) {}
  void prepare(int count, const Work& work) override { inner_.prepare(count, work); }
  void start(int count, const Work& work) override { inner_.start(count, work); }
  void synchronise() override {
    if (waits_) inner_.synchronise();
  }
  void* stream() const override { return inner_.stream(); }
  std::unique_ptr<runtime::Graph> make_graph(int count, const Work& work) override {
    return std::make_unique<Stubborn>(inner_.make_graph(count, work));
  }

 private:
  Probe& inner_;
  bool waits_;
};

/// Calls test(entry, quantity, problem) for all quantities without data, of all variants that run here.
template <class Test>
void for_every_quantity(const Test& test) {
  for (const Entry& e : registry())
    for (const Quantity& q : quantities()) {
      Problem p;
      p.quantity = q.name;
      p.threads = e.role == Role::barrier && !e.on_device() ? 1 : 4;
      p.blocks = e.on_device() && e.role == Role::barrier ? 8 : 1;
      p.launches = 6;
      p.unit_ns = 20000;
      if (q.kind != Kind::none || !e.why_unavailable().empty()) continue;
      if (study().task_of(p)->why_not(harness::Choice{&e})) p.threads = 1;  // a graph kernel has one index
      if (study().task_of(p)->why_not(harness::Choice{&e})) continue;
      test(e, q, p);
    }
}

/// Kokkos passes functors in three ways, depending on their size and on the hints of the policy.
TEST(LaunchProbes, FunctorsOfEverySizeRunTheirEvents) {
  int tried = 0;
  for_every_quantity([&tried](const Entry& e, const Quantity& q, const Problem& p) {
    if (e.most_argument_bytes == 0 || std::string(q.name) != "null-overhead") return;
    for (const int bytes : argument_sizes()) {
      Problem sized = p;
      sized.argument_bytes = bytes;
      if (study().task_of(sized)->why_not(harness::Choice{&e})) continue;
      const auto probe = e.make(sized);
      EXPECT_TRUE(count_events(*probe, e, q, sized).passed()) << e.name << " " << bytes;
      ++tried;
    }
  });
  EXPECT_GE(tried, 2 * int(argument_sizes().size())) << "kokkos-kernel with and without the hint";
}

TEST(LaunchProbes, WhoReturnsEarlyOrReplacesNoArgumentIsCaught) {
  int tried = 0;
  for_every_quantity([&tried](const Entry& e, const Quantity& q, const Problem& p) {
    if (!q.updates && !(e.on_device() && std::string(q.name) == "total-overhead")) return;
    const auto probe = e.make(p);
    Faulty faulty(*probe, q.updates);
    EXPECT_FALSE(count_events(faulty, e, q, p).passed()) << e.name << " " << q.name;
    ++tried;
    probe->synchronise();
  });
  if (tried == 0) GTEST_SKIP() << "no GPU: a host's region is over when its call returns";
}

}  // namespace
