// SPDX-License-Identifier: BSD-3-Clause
// The launch study: its methods on probes whose cost is known, its checks on probes that are wrong on
// purpose.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/costs.hpp"
#include "analysis/explain.hpp"
#include "analysis/launch_findings.hpp"
#include "device_records.hpp"
#include "harness/measure.hpp"
#include "launch/buffers.hpp"
#include "launch/quantity.hpp"
#include "launch/study.hpp"
#include "launch/trial.hpp"
#include "measurements.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/hold.hpp"
#include "runtime/stream.hpp"
#include "simulated_machine.hpp"

namespace {

using namespace parity;
using namespace parity::launch;
using namespace parity::analysis;
using harness::Measurement;
using harness::Values;
using launch::study;

harness::Measurement measured(const Entry& e, const char* quantity) {
  const test::Machine machine;
  harness::RunOptions o;
  o.repeats = 15, o.blocks = 1;
  const harness::Measured m =
      harness::measure(*study().task_of(test::simulated_problem(quantity)), {harness::Choice{&e}}, o);
  EXPECT_EQ(m.rows.size(), 1u);
  return m.rows.at(0);
}

TEST(LaunchChecks, AFigureThatFailedItsCheckHasNoSamples) {
  const Entry e = test::simulated_entry(Role::fork_join, test::Fault::ignores_delays);
  const harness::Measurement r = measured(e, "null-overhead");
  EXPECT_FALSE(r.verdict.passed()) << r.verdict.reference;
  EXPECT_FALSE(r.timed());
}

/// A right probe, of whose events so many did what they do besides their kernel.
class WithOthers : public test::SimulatedProbe {
 public:
  WithOthers(const Problem& p, int others)
      : SimulatedProbe(Role::graph, p, test::Fault::none), others_(others) {}
  std::optional<int> others_over() override { return others_; }
  void* stream() const override { return nullptr; }  // a real tracer sees nothing of a simulated one

 private:
  int others_;
};

TEST(LaunchChecks, WorkBesidesTheKernelsMustBeDone) {
  static int others;
  Entry e = test::simulated_entry(Role::graph, test::Fault::none);
  e.make = [](const Problem& p) -> std::unique_ptr<Probe> { return std::make_unique<WithOthers>(p, others); };
  for (const int done : {0, 6, 7, 8}) {
    others = done;
    const harness::Measurement r = measured(e, "node");
    EXPECT_EQ(r.verdict.passed(), done == 7) << done << ": " << r.verdict.reference;
    const std::string said = "of 7 events " + std::to_string(done) + " did their work besides the kernel";
    EXPECT_EQ(r.verdict.reference == said, done != 7) << r.verdict.reference;
  }
}

TEST(LaunchChecks, JudgeWhatCameBack) {
  const std::vector<double> right(15, 20.2e-6), wrong(15, 21.5e-6);
  const auto passed = [](const std::vector<double>& recovered) {
    return judge(recovered, 20e-6).verdict.passed();
  };
  EXPECT_TRUE(passed(right));
  EXPECT_FALSE(passed(wrong));
  EXPECT_FALSE(passed({}));
  std::vector<double> wide;
  for (int k = 0; k < 15; ++k) wide.push_back(20e-6 + 4e-6 * (k - 7));
  EXPECT_FALSE(passed(wide)) << "so wide an interval says nothing";
  EXPECT_FALSE(judge(wide, 20e-6).clear) << "and nothing is wrong either";
  for (double& s : wide) s += 100e-6;
  EXPECT_TRUE(judge(wide, 20e-6).clear) << "but one that does not hold the delay is wrong however wide it is";
  EXPECT_FALSE(passed(wide));
  std::vector<double> noisy;
  for (int k = 0; k < 15; ++k) noisy.push_back(20e-6 + 0.4e-6 * (k - 7));
  EXPECT_TRUE(passed(noisy));
  for (double& s : noisy) s += 6e-6;
  EXPECT_FALSE(passed(noisy));
}

TEST(LaunchChecks, BuffersTellWrongResults) {
  for (const Kind kind : {Kind::copy, Kind::multiply_adds}) {
    Buffers b(false, 36);
    b.fill(kind);
    EXPECT_TRUE(std::isinf(b.error(kind, 36))) << "nothing was written yet";
    const Work w = b.work(kind, 3);
    with_kind(kind, [&](auto k) {
      for (int i = 0; i < 36; ++i) compute<k()>(w, i);
    });
    EXPECT_LE(b.error(kind, 36), 1e-6);
    w.to[32] *= 1.01f;
    EXPECT_GT(b.error(kind, 36), 1e-3);
  }
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

TEST(LaunchProblem, RefusesWhatMakesNoSense) {
  Problem p;
  const auto refused = [](Problem q) { EXPECT_THROW(validate(q), runtime::UsageError) << describe(q); };
  const auto with = [&p](auto change) {
    Problem q = p;
    change(q);
    return q;
  };
  refused(with([](Problem& q) { q.quantity = "null-overhaed"; }));
  refused(with([](Problem& q) { q.blocks = 0; }));
  refused(with([](Problem& q) { q.threads = 1025; }));
  refused(with([](Problem& q) { q.argument_bytes = 100; }));
  refused(with([](Problem& q) { q.bytes = 24; }));
  refused(with([](Problem& q) { q.quantity = "fusion-overhead", q.units = q.launches; }));
}

using test::device_environment;
using test::device_records;
using test::launches;
using test::quantity_row;

TEST(LaunchCosts, AreReadFromRecords) {
  const Costs c = costs_of(device_records());
  EXPECT_EQ(c.device, "GPU A");
  EXPECT_DOUBLE_EQ(c.family.at("cuda").launch_host, 2e-6);
  EXPECT_NEAR(c.bandwidth.at(1e8), 1e12, 1e6);
  EXPECT_NEAR(c.issue_rate, 1e12, 1);
  EXPECT_NEAR(c.family.at("cuda").graph_repeat.at(51), 28.5e-6, 1e-12);
  EXPECT_NEAR(c.family.at("cuda").graph_repeat.at(201), 103.5e-6, 1e-12);
}

TEST(LaunchCosts, MissingOrMixedRecordsAreRefused) {
  const harness::Records r = device_records();
  EXPECT_THROW(costs_of({r.environments, {}, {}, {}}), runtime::UsageError);
  auto missing = r;
  missing.measurements.erase(missing.measurements.begin());
  EXPECT_THROW(costs_of(missing), runtime::UsageError);
  auto mixed = r;
  mixed.environments.push_back(device_environment("GPU B"));
  EXPECT_THROW(costs_of(mixed), runtime::UsageError);
}

TEST(LaunchExplain, SeparatesLaunchesFromBytes) {
  const Costs c = costs_of(device_records());
  const Factorial f = factorial_of(c.family.at("cuda"), 256, false);
  // The copies move their bytes at 1 TB/s whatever the launches, and each launch costs one microsecond.
  EXPECT_NEAR(f.by_launches(), 15e-6, 0.3e-6);
  EXPECT_NEAR(f.by_bytes(), 31 * 4 * 256.0 * 256 * 64 / 1e12, 1e-6);
}

TEST(LaunchExplain, GivesAdvice) {
  const Costs c = costs_of(device_records());
  const Advice small = advice_for(c, c.family.at("cuda"), 0.1e-6, 101);
  EXPECT_NEAR(small.stream, 101 * 2e-6, 1e-9);
  EXPECT_NEAR(small.graph, 53.5e-6 + 10.1e-6, 1e-9);
  EXPECT_NEAR(small.break_even, 3 * 1010e-6 / (small.stream - small.graph), 1e-6);
  EXPECT_EQ(small.dependent, 0) << "no quantities of dependent launches";
  const Advice one = advice_for(c, c.family.at("cuda"), 50e-6, 1);
  EXPECT_TRUE(std::isinf(one.break_even)) << "a graph of one long kernel never pays";
}

TEST(LaunchFindings, QuantitiesOfOneLaunchFunctionStandInOneRow) {
  const std::vector<Measurement> rows = {quantity_row("cuda-traditional", "dispatch", 2e-6),
                                         quantity_row("cuda-traditional", "fusion-overhead", 1e-6),
                                         quantity_row("cuda-graph", "node", 1e-6, launches(10)),
                                         quantity_row("cuda-graph", "node", 2e-6, launches(20))};
  const LaunchFindings found = launch_findings(rows);
  ASSERT_EQ(found.functions.size(), 1u);
  EXPECT_DOUBLE_EQ(found.functions[0].rows.at("dispatch")->host().value, 2e-6);
  ASSERT_EQ(found.sweeps.size(), 1u);
  ASSERT_EQ(found.sweeps[0].sweeps.size(), 1u);
  EXPECT_EQ(found.sweeps[0].sweeps[0].rows.size(), 2u);
}

TEST(LaunchFindings, NodesByKindAreWhatTheyAddToKernels) {
  const auto node = [](const char* variant, int n, std::vector<double> us, const char* topology = "line") {
    Problem p;
    p.quantity = "node";
    p.launches = n;
    p.topology = topology == std::string("line") ? Topology::line : Topology::fork;
    for (double& t : us) t *= 1e-6;
    return test::row("launch", variant, study().list().values(p), us);
  };
  // The machine is slower from start to start, and the differences are not.
  std::vector<Measurement> rows = {
      node("cuda-graph", 100, {0.5, 0.6, 0.7}), node("cuda-graph-memcpy", 100, {1.7, 1.8, 1.9}),
      node("cuda-graph-memset", 100, {1.3, 1.4, 1.5}), node("cuda-graph-empty", 10, {0.9, 0.9, 0.9}),
      node("cuda-graph", 100, {9, 9, 9}, "fork")};
  const std::vector<NodeCost> costs = node_costs(launch_findings(rows));
  ASSERT_EQ(costs.size(), 3u);
  const std::vector<std::pair<const char*, double>> expected = {
      {"memcpy", 1.2e-6}, {"memset", 0.8e-6}, {"kernel", 0.6e-6}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(costs[k].kind, expected[k].first);
    EXPECT_EQ(costs[k].nodes, 100);
    EXPECT_NEAR(costs[k].cost.value, expected[k].second, 1e-12);
    EXPECT_EQ(costs[k].cost.blocks, 3);
  }
  ASSERT_TRUE(costs[0].cost.interval);
  EXPECT_NEAR(costs[0].cost.interval->high - costs[0].cost.interval->low, 0, 1e-12);
  for (Measurement& m : rows)
    if (m.variant == "cuda-graph") m.run.id = "another";
  EXPECT_TRUE(node_costs(launch_findings(rows)).empty()) << "never of two runs";
}

TEST(LaunchFindings, OfSeveralRunsOfAQuantityTheLatestCounts) {
  std::vector<Measurement> rows;
  for (const char* run : {"2026-01-02", "2026-01-03", "2026-01-01"}) {
    const double seconds = run == std::string("2026-01-03") ? 1e-6 : 9e-6;
    // The latest run launched more often: the cell of the table is the same.
    const int n = run == std::string("2026-01-03") ? 200 : 100;
    rows.push_back(quantity_row("cuda-traditional", "dispatch", seconds, launches(n)));
    rows.push_back(quantity_row("cuda-graph", "node", seconds, launches(10)));
    rows.push_back(quantity_row("cuda-grid-sync", "barrier", seconds, launches(n)));
    for (std::size_t k = rows.size() - 3; k < rows.size(); ++k) rows[k].run.id = run;
  }
  const LaunchFindings found = launch_findings(rows);
  ASSERT_TRUE(found.functions.size() == 1 && found.sweeps.size() == 2);
  EXPECT_EQ(found.functions[0].rows.at("dispatch")->host().value, 1e-6);
  EXPECT_EQ(found.sweeps[0].sweeps.at(0).rows.at(10).at("node")->host().value, 1e-6);
  EXPECT_EQ(found.sweeps[1].sweeps.at(0).rows.at(1).begin()->second->host().value, 1e-6);
}

// What needs a device.
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
         {"cuda-grid-sync", "cuda-grid-atomic", "cuda-neighbour-flags", "kokkos-grid-barrier"})
      if (e.name == name) {
        EXPECT_TRUE(study().task_of(p)->why_not(harness::Choice{&e}).has_value()) << name;
      }
}

// A busy machine makes an instrument differ from a row now and then, a delay come back longer, or a row not
// measurable. What is wrong is refused three times running; an infinite error means other launches than were
// asked for, and is so once.
TEST(LaunchDevice, EveryVariantMeasures) {
  NEEDS_GPU();
  harness::RunOptions o;
  o.repeats = 3, o.blocks = 1;
  int asked = 0, measured = 0;
  for (const Entry& e : registry())
    for (const Quantity& q : quantities()) {
      Problem p;
      p.quantity = q.name;
      p.launches = 20;
      p.blocks = 8;
      const auto task = study().task_of(p);
      if (task->why_not(harness::Choice{&e})) continue;
      constexpr int turns = 3;
      int refused = 0, passed = 0;
      std::string why;
      for (int turn = 0; turn < turns && !passed; ++turn) {
        const harness::Measured r = harness::measure(*task, {harness::Choice{&e}}, o);
        ASSERT_EQ(r.rows.size() + r.skipped.size(), 1u) << e.name << " " << q.name;
        for (const harness::Measurement& m : r.rows) {
          EXPECT_TRUE(std::isfinite(m.verdict.error))
              << e.name << " " << q.name << ": " << m.verdict.reference;
          ++(m.verdict.passed() ? passed : refused);
          why += "\n" + m.verdict.reference;
        }
        for (const harness::SkippedRow& s : r.skipped) why += "\n" + s.reason;
      }
      EXPECT_LT(refused, turns) << e.name << " " << q.name << ":" << why;
      ++asked, measured += passed;
    }
  EXPECT_GT(2 * measured, asked) << "what nobody can measure is not known to be right";
}

}  // namespace
