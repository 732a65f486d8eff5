// SPDX-License-Identifier: BSD-3-Clause
// Every quantity of the launch study against every way in which a probe or a method can be wrong, on a
// simulated machine whose times are exact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/launch_findings.hpp"
#include "launch/agreement.hpp"
#include "launch/buffers.hpp"
#include "launch/study.hpp"
#include "launch/trial.hpp"
#include "measurements.hpp"
#include "runtime/error.hpp"
#include "runtime/portable.hpp"
#include "simulated_machine.hpp"

namespace {

using namespace parity;
using namespace parity::launch;
using test::Fault;
using test::Machine;

const std::map<Fault, std::string>& names() {
  static const std::map<Fault, std::string> all = {
      {Fault::none, "right"},
      {Fault::launches_nothing, "launches nothing"},
      {Fault::launches_half, "launches half"},
      {Fault::launches_twice, "launches twice"},
      {Fault::nothing_without_work, "launches nothing without work"},
      {Fault::returns_early, "returns early"},
      {Fault::slow_launch, "a microsecond in the launch"},
      {Fault::slow_wait, "a microsecond in the wait"},
      {Fault::slow_stage, "a microsecond in each stage"},
      {Fault::one_more, "one more"},
      {Fault::one_more_hidden, "one more, hidden"},
      {Fault::clock_starts_late, "clock starts late"},
      {Fault::clock_stops_early, "clock stops early"},
      {Fault::clock_starts_before, "clock starts before"},
      {Fault::ignores_delays, "ignores delays"},
      {Fault::updates_nothing, "replaces no arguments"},
  };
  return all;
}

const char* name(Role role) {
  switch (role) {
    case Role::launch:
      return "launch";
    case Role::graph:
      return "graph";
    case Role::barrier:
      return "barrier";
    case Role::fork_join:
      return "fork-join";
    case Role::message:
      return "message";
  }
  return "";
}

struct Case {
  std::string quantity;
  Role role;
};
std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const Quantity& q : quantities())
    for (const Role role : q.roles) all.push_back({q.name, role});
  return all;
}

/// The quantity's whole trial, samples and checks.
struct Outcome {
  bool passed = false;
  bool measurable = true;
  double quantity = 0;
  std::string text;
};
Outcome tried(const Case& c, Fault fault, bool with_tracer = true, const test::Costs& costs = {},
              harness::Family family = harness::Family::openmp) {
  const Machine machine;
  Machine::state().costs = costs;
  const Entry e = test::simulated_entry(c.role, fault, family);
  auto bench = std::make_shared<Bench>();
  if (with_tracer)
    bench->tracer = std::make_unique<test::SimulatedTracer>();
  else
    bench->no_tracer = "no tracer in this test";
  const auto trial = launch_trial(test::simulated_problem(c.quantity), e, bench);
  harness::Measurement row;
  Outcome o;
  harness::Verdict v = trial->start(row);
  o.text = v.reference;
  if (!v.passed()) return o;
  for (int k = 0; k < 9; ++k) test::add_sample(row, trial->sample().host);
  o.quantity = row.host().value;
  try {
    v = trial->finish(row);
  } catch (const runtime::CannotRunError& error) {
    o.text = error.what();
    o.measurable = false;
    return o;
  }
  o.passed = v.passed();
  o.text = v.reference;
  return o;
}

double truth(const Case& c) {
  const double us = 1e-6;
  const std::string& q = c.quantity;
  if (q == "barrier") return 0.15 * us;
  if (q == "multiply-add" || q == "exponential") return 6.4 * us;  // 64 rounds of 0.1
  if (test::is_region(c.role)) return (q == "copy" ? 8 : 3) * us;
  if (c.role == Role::graph) {
    const std::map<std::string, double> of_graph = {
        {"node", 1.0},
        {"fusion-overhead", 1.0},  // 0.8 and a gap of 0.2
        {"copy", 6.0},
        {"graph-create", 7.2},  // 21 calls of 0.3, the wait 0.9
        {"graph-instantiate", 21.9},
        {"graph-upload", 19.8},
        {"graph-first-launch", 24.1},  // call 2.5, arrival 1.1, 20 kernels of 0.8, 19 gaps of 0.2, notice 0.7
        {"graph-dispatch", 2.5},
        {"graph-latency", 24.1},
        {"graph-repeat", 20.3},
        {"graph-update", 5.25},  // 20 nodes and 1, of 0.25
        {"graph-update-node", 0.7}};
    return of_graph.at(q) * us;
  }
  const std::map<std::string, double> of_launch = {
      {"null-overhead", 2.0},    // the host's pace
      {"fusion-overhead", 1.3},  // the device's: 0.8 and a gap of 0.5
      {"total-overhead", 4.6},   // call 2, arrival 1.1, kernel 0.8, notice 0.7
      {"other-overhead", 1.3},   // 4.6 - 2 - 1.3
      {"dispatch", 2.0},        {"throughput", 2.13},     {"latency", 4.6},
      {"synchronise", 0.9},     {"device-interval", 1.3}, {"copy", 6.3}};
  return of_launch.at(q) * us;
}

/// A delay or a part of a bracket that a quantity does not hold changes nothing in it.
constexpr double unchanged = 0.03e-6;

class EveryQuantity : public testing::TestWithParam<Case> {};

TEST_P(EveryQuantity, IsFoundAndAgreesWithItsInstruments) {
  const Outcome o = tried(GetParam(), Fault::none);
  EXPECT_TRUE(o.passed) << o.text;
  EXPECT_NEAR(o.quantity, truth(GetParam()), 0.025e-6);
  const Method& m = find_quantity(GetParam().quantity)->method;
  EXPECT_EQ(o.text.find("event log") != std::string::npos, m.readings > 0) << o.text;
  EXPECT_EQ(o.text.find("watched calls") != std::string::npos, !m.held) << o.text;
  if (test::is_region(GetParam().role))
    EXPECT_NE(o.text.find("bare loop"), std::string::npos) << o.text;
  else
    EXPECT_NE(o.text.find("tracer"), std::string::npos) << o.text;
}

// Methods that are wrong: a function has no captures, so the right one stands here.
const Method* right_method = nullptr;
double a_microsecond_more(Probe& probe, const Setting& s) { return right_method->sample(probe, s) + 1e-6; }
double several_microseconds_more(Probe& probe, const Setting& s) {
  return right_method->sample(probe, s) + 20e-6;
}
double a_microsecond_less(Probe& probe, const Setting& s) { return right_method->sample(probe, s) - 1e-6; }
/// Divides by one more than there were.
double one_too_many(Probe& probe, const Setting& s) {
  const double divisor = right_method->divisor(s.problem);
  return right_method->sample(probe, s) * divisor / (divisor + 1);
}
double of_another_problem(Probe& probe, const Setting& s) {
  Problem more = s.problem;
  ++more.launches;
  return right_method->sample(probe, {more, s.ticks_per_second, s.work});
}

bool fits(const Agreement& a) { return a.finding == Finding::agrees || a.finding == Finding::coarse; }

/// What the event log says of a method with the right one's formula.
Agreement with_method(const Case& c, double (*sample)(Probe&, const Setting&),
                      const test::Costs& costs = {}) {
  const Machine machine;
  Machine::state().costs = costs;
  const Entry e = test::simulated_entry(c.role, Fault::none);
  const Problem p = with_blocks(test::simulated_problem(c.quantity));
  Quantity q = *find_quantity(c.quantity);
  right_method = &find_quantity(c.quantity)->method;
  q.method.sample = sample;
  Buffers buffers(false, 64);
  if (q.kind != Kind::none) buffers.fill(q.kind);
  const auto probe = e.make(p);
  const Work work = q.kind == Kind::none ? Work() : buffers.work(q.kind, rate_rounds(false));
  // Whichever of the two sees it first; both must agree with the right one.
  const std::vector<Agreement> all = with_event_log({*probe, e, q, few_events(q, p), 1e9, work});
  for (const Agreement& a : all)
    if (!fits(a)) return a;
  return all.back();
}

TEST_P(EveryQuantity, CatchesAMethodThatIsWrong) {
  const Case c = GetParam();
  const Quantity& q = *find_quantity(c.quantity);
  EXPECT_TRUE(fits(with_method(c, q.method.sample))) << with_method(c, q.method.sample).text();
  for (const auto wrong : {a_microsecond_more, a_microsecond_less})
    EXPECT_EQ(with_method(c, wrong).finding, Finding::differs) << with_method(c, wrong).text();
  if (q.method.divisor(test::simulated_problem(c.quantity)) > 1) {
    EXPECT_EQ(with_method(c, one_too_many).finding, Finding::differs) << with_method(c, one_too_many).text();
  }
  const bool of_launches = q.method.asked(test::simulated_problem(c.quantity)) != q.method.asked([&] {
    Problem p = test::simulated_problem(c.quantity);
    ++p.launches;
    return p;
  }());
  if (of_launches) {
    const Agreement a = with_method(c, of_another_problem);
    EXPECT_EQ(a.finding, Finding::differs) << a.text();
    EXPECT_NE(a.wrong, "");
  }
}

/// Every other quantity's method in the place of this one's.
TEST_P(EveryQuantity, CatchesTheMethodOfAnotherQuantity) {
  const Case c = GetParam();
  const Quantity& q = *find_quantity(c.quantity);
  for (const Quantity& other : quantities()) {
    if (other.method.sample == q.method.sample || other.kind != q.kind) continue;
    if (std::find(other.roles.begin(), other.roles.end(), c.role) == other.roles.end()) continue;
    const Agreement a = with_method(c, other.method.sample);
    const Agreement right = with_method(c, q.method.sample);
    if (a.wrong.empty() && std::abs(a.quantity.median - right.quantity.median) < unchanged)
      continue;  // the same quantity here
    EXPECT_EQ(a.finding, Finding::differs) << other.name << ": " << a.text();
  }
}

/// Called wrong; not only 'not measurable here', which a fault could hide behind. Work that nobody stamps in
/// one of a quantity's two single runs looks like runs that are not alike outside of their events: it is
/// refused, and nobody can say why.
bool caught(const Case& c, Fault f, const Outcome& o) {
  if (o.passed) return false;
  const bool looks_unlike =
      f == Fault::one_more_hidden &&
      (c.quantity == "total-overhead" || c.quantity == "multiply-add" || c.quantity == "exponential");
  return o.measurable || (looks_unlike && o.text.find("outside of their events") != std::string::npos);
}

/// Why a fault cannot exist for a quantity, or cannot change it; empty where it must be caught.
std::string harmless(const Case& c, Fault f);

TEST_P(EveryQuantity, CatchesEveryFault) {
  const Case c = GetParam();
  const double right = tried(c, Fault::none).quantity;
  for (const auto& [fault, what] : names()) {
    if (fault == Fault::none) continue;
    const Outcome o = tried(c, fault);
    const std::string why = harmless(c, fault);
    if (why.empty())
      EXPECT_TRUE(caught(c, fault, o))
          << c.quantity << " (" << name(c.role) << ") " << what << ": quantity " << 1e6 * o.quantity
          << " us instead of " << 1e6 * right << "; " << o.text;
    else
      EXPECT_TRUE(o.passed && std::abs(o.quantity - right) < unchanged)
          << c.quantity << " (" << name(c.role) << ") " << what << " is said to be harmless (" << why
          << "): quantity " << 1e6 * o.quantity << " us instead of " << 1e6 * right << "; " << o.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Launch, EveryQuantity, testing::ValuesIn(all_cases()), [](const auto& info) {
  std::string text = info.param.quantity + "_" + name(info.param.role);
  for (char& ch : text)
    if (ch == '-') ch = '_';
  return text;
});

std::string harmless(const Case& c, Fault f) {
  const Quantity& q = *find_quantity(c.quantity);
  const auto is = [&q](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&q](const char* n) { return n == std::string(q.name); });
  };
  const bool region = test::is_region(c.role), graph = c.role == Role::graph;
  const bool stage = is({"graph-create", "graph-instantiate", "graph-upload", "graph-first-launch"});
  const bool update = is({"graph-update", "graph-update-node"});
  const bool difference = q.method.readings > 0 && !is({"total-overhead", "other-overhead"});
  switch (f) {
    case Fault::nothing_without_work:
      if (q.units || q.kind != Kind::none || update) return "all its events have work";
      if (is({"synchronise"})) return "it starts nothing";
      break;
    case Fault::returns_early:
      if (region) return "a region is over when its call returns";
      break;
    case Fault::slow_launch:
      if (is({"synchronise"})) return "it starts nothing";
      if (stage || update) return "it starts a graph that was made, not its nodes";
      if (graph && difference && !is({"graph-repeat"})) return "one call a run, in both runs";
      if (is({"barrier", "multiply-add", "exponential"})) return "one call a run, in both runs";
      if (is({"device-interval"})) return "the queue is full before it goes on";
      break;
    case Fault::slow_wait:
      if (region) return "nobody waits for a region";
      if (difference) return "one wait a run, in both runs";
      if (is({"dispatch", "graph-dispatch"}) || update) return "the wait comes after it";
      break;
    case Fault::slow_stage:
      if (!stage && !update) return "its graph was made before";
      break;
    case Fault::one_more_hidden:
      if (is({"synchronise"})) return "it starts nothing";
      if (is({"barrier"}) || (region && (is({"null-overhead", "copy"}) || q.of_messages())))
        return "one more in both runs";
      break;
    case Fault::clock_starts_late:
      if (is({"synchronise"})) return "it starts nothing";
      if (is({"device-interval"})) return "it is of the device's clock";
      if (!region && is({"multiply-add", "exponential"})) return "one call a run, in both runs";
      if ((graph && difference && !is({"graph-repeat"})) || is({"barrier"}))
        return "one call a run, in both runs";
      break;
    case Fault::clock_stops_early:
      if (region) return "nobody waits for a region";
      if (is({"dispatch", "graph-dispatch"}) || update) return "the wait comes after it";
      if (is({"device-interval"})) return "it is of the device's clock";
      break;
    case Fault::clock_starts_before:
      if (difference) return "prepared likewise in both runs";
      if (stage || update || is({"synchronise"})) return "nothing is prepared for it";
      if (is({"other-overhead"})) return "it is in total and in the call";
      break;
    case Fault::ignores_delays:
      if (q.method.delayed) return "its delay goes into a call";
      break;
    case Fault::updates_nothing:
      if (!update) return "it replaces no arguments";
      break;
    default:
      break;
  }
  return "";
}

bool adds_time(Fault f) { return f == Fault::slow_launch || f == Fault::slow_wait || f == Fault::slow_stage; }
/// Of a quantity, where 1 us more of a wait is over before 20 events are.
constexpr double hidden = 0.05e-6;

/// What no instrument sees of a portable entry besides; empty where it must be caught.
std::string unseen_of_portable(const Case& c, Fault f) {
  if (c.role != Role::graph && c.role != Role::barrier) return "";
  return adds_time(f) ? "it may do more than the runtime's calls, and there is no plain loop of it" : "";
}

/// The same faults on a portable entry: a tracer says only what its quantities cannot fall below. Time that
/// is hidden behind a longer event is seen by nobody then, and is in no quantity.
TEST_P(EveryQuantity, CatchesEveryFaultOfAPortableEntry) {
  if (runtime::portable_on_device()) GTEST_SKIP() << "Kokkos' memory is the GPU's here, the machine's is not";
  const Case c = GetParam();
  const auto outcome = [&c](Fault f) { return tried(c, f, true, {}, harness::Family::kokkos); };
  const Outcome right = outcome(Fault::none);
  EXPECT_TRUE(right.passed) << right.text;
  EXPECT_NEAR(right.quantity, truth(c), 0.025e-6);
  for (const auto& [fault, what] : names()) {
    if (fault == Fault::none) continue;
    const Outcome o = outcome(fault);
    const std::string said = fmt::format("{} ({}) {}: quantity {:.4f} us instead of {:.4f}; {}", c.quantity,
                                         name(c.role), what, 1e6 * o.quantity, 1e6 * right.quantity, o.text);
    const double change = std::abs(o.quantity - right.quantity);
    if (const std::string why = harmless(c, fault); !why.empty())
      EXPECT_TRUE(o.passed && change < unchanged) << said << "; is said to be harmless: " << why;
    else if (const std::string unseen = unseen_of_portable(c, fault); !unseen.empty())
      EXPECT_TRUE(o.passed) << said << "; is said to be seen by nobody: " << unseen;
    else
      EXPECT_TRUE(caught(c, fault, o) || (o.passed && adds_time(fault) && change < hidden)) << said;
  }
}

/// A second question, after something that disturbed the first.
class Passing : public Probe {
 public:
  Passing(std::unique_ptr<Probe> inner, int* waits) : inner_(std::move(inner)), waits_(waits) {}
  void prepare(int count, const Work& work) override { inner_->prepare(count, work); }
  void start(int count, const Work& work) override { inner_->start(count, work); }
  /// So many waits take 5 us more, by the first clock alone.
  void synchronise() override {
    inner_->synchronise();
    if (*waits_ > 0) Machine::state().shift -= 5e-6;
    --*waits_;
  }
  void* stream() const override { return inner_->stream(); }

 private:
  std::unique_ptr<Probe> inner_;
  int* waits_;
};

TEST(LaunchInstruments, WhatDisturbedAnInstrumentOnceIsAskedAgainOnce) {
  static int waits;
  const auto outcome = [](int disturbed) {
    const Machine machine;
    Entry e = test::simulated_entry(Role::launch, Fault::none);
    e.make = [](const Problem& p) -> std::unique_ptr<Probe> {
      return std::make_unique<Passing>(std::make_unique<test::SimulatedProbe>(Role::launch, p, Fault::none),
                                       &waits);
    };
    auto bench = std::make_shared<Bench>();
    bench->no_tracer = "no tracer in this test";
    waits = 0;
    const auto trial = launch_trial(test::simulated_problem("latency"), e, bench);
    harness::Measurement row;
    trial->start(row);
    for (int k = 0; k < 9; ++k) test::add_sample(row, trial->sample().host);
    waits = disturbed;
    return trial->finish(row);
  };
  const harness::Verdict calm = outcome(0);
  EXPECT_TRUE(calm.passed()) << calm.reference;
  EXPECT_EQ(calm.reference.find("asked again"), std::string::npos) << calm.reference;
  // A comparison of 9 samples is over where it is plain: 10 of them with the first, of two waits each.
  const harness::Verdict once = outcome(20);
  EXPECT_TRUE(once.passed()) << once.reference;
  EXPECT_NE(once.reference.find("; asked again after watched calls"), std::string::npos) << once.reference;
  const harness::Verdict always = outcome(1 << 30);
  EXPECT_FALSE(always.passed()) << always.reference;
}

/// On a GPU's host the first launch after half a millisecond of waiting took up to 9 us more. It was in the
/// one latency that 'other' counts twice, and not in the one that it takes away.
TEST(LaunchInstruments, TheFirstLaunchAfterALongWaitIsInNoDifferenceOfTwoSingleRuns) {
  test::Costs costs;
  costs.patience = 200e-6;
  costs.cold = 6e-6;
  for (const char* quantity : {"other-overhead", "total-overhead", "multiply-add", "exponential"}) {
    const Case c{quantity, Role::launch};
    const Outcome o = tried(c, Fault::none, true, costs);
    EXPECT_TRUE(o.passed) << quantity << ": " << o.text;
    // Equation 2 divides what one of its runs begins with by the difference of its counts, 15 here.
    EXPECT_NEAR(o.quantity, truth(c), costs.cold / 15 + 0.03e-6) << quantity;
  }
}

/// A host that notices the end of a longer wait later: the method takes both latencies to have the same part
/// outside of their events, and they have not.
TEST(LaunchInstruments, WhereTwoRunsAreNotAlikeOutsideOfTheirEventsNothingIsMeasured) {
  test::Costs costs;
  costs.patience = 40e-6;  // between one event of 25 us and one of 50
  costs.drowsy = 6e-6;
  for (const char* quantity : {"other-overhead", "total-overhead"}) {
    const Case c{quantity, Role::launch};
    const Outcome o = tried(c, Fault::none, true, costs);
    EXPECT_FALSE(o.passed) << quantity << ": " << 1e6 * o.quantity << " us, " << o.text;
    EXPECT_EQ(o.text.rfind("not measurable here: event log ", 0), 0u) << o.text;
    EXPECT_NE(o.text.find("which the method takes to be alike there, are -6.0"), std::string::npos) << o.text;
    // A method that is wrong is no less wrong there.
    const Quantity& q = *find_quantity(quantity);
    EXPECT_EQ(with_method(c, q.method.sample, costs).finding, Finding::unclear);
    const Agreement wrong = with_method(c, several_microseconds_more, costs);
    EXPECT_EQ(wrong.finding, Finding::differs) << wrong.text();
  }
}

/// Three compilers beside it on two cores: 25 graphs more, in which a time slice of 4 ms was lost, got a
/// delay of 20 us back as 178. Who loses the processor is not wrong.
TEST(LaunchInstruments, WhoLosesTheProcessorIsNotCalledWrong) {
  test::Costs costs;
  costs.reading = 200e-9;  // so that waits are simulated in fewer steps
  costs.away = 4e-3;
  int lost = 0;
  for (const double turn : {3e-3, 6e-3, 11e-3, 22e-3}) {
    costs.turn = turn;
    const Outcome o = tried({"graph-repeat", Role::graph}, Fault::none, true, costs);
    EXPECT_TRUE(o.passed || !o.measurable) << turn << ": " << o.text;
    lost += !o.measurable && o.text.find("others had the processor in ") != std::string::npos;
  }
  EXPECT_GT(lost, 0) << "nothing was disturbed";
}

/// Where it keeps the processor often enough the other samples do not count, and what is wrong is wrong.
TEST(LaunchInstruments, WhoKeepsTheProcessorOftenEnoughIsJudgedByThat) {
  test::Costs costs;
  costs.away = 4e-3;
  costs.turn = 5e-3;
  const Outcome right = tried({"null-overhead", Role::launch}, Fault::none, true, costs);
  EXPECT_TRUE(right.passed) << right.text;
  const Outcome wrong = tried({"null-overhead", Role::launch}, Fault::ignores_delays, true, costs);
  EXPECT_TRUE(!wrong.passed && wrong.measurable) << wrong.text;
}

/// Recording costs so much that the bound of the tracer's calls would hold anything.
TEST(LaunchInstruments, AnInstrumentThatIsTooCoarseDoesNotAgree) {
  test::Costs costs;
  costs.traced = 1e-6;
  for (const bool slow : {false, true}) {
    costs.traced = slow ? 1e-6 : test::Costs().traced;
    const Outcome o = tried({"dispatch", Role::launch}, Fault::none, true, costs);
    EXPECT_TRUE(o.passed) << o.text;
    const std::size_t calls = o.text.find("tracer (calls)");
    ASSERT_NE(calls, std::string::npos) << o.text;
    EXPECT_EQ(o.text.find("too coarse to tell", calls) != std::string::npos, slow) << o.text;
  }
}

/// What a build without a tracer cannot see, and says that it has none.
TEST(LaunchInstruments, WithoutATracerHiddenWorkOfAQueueIsNotSeen) {
  const Case latency{"latency", Role::launch};
  const Outcome right = tried(latency, Fault::none, /*with_tracer=*/false);
  EXPECT_TRUE(right.passed);
  EXPECT_NE(right.text.find("no tracer in this test"), std::string::npos) << right.text;
  for (const Fault f : {Fault::slow_launch, Fault::slow_wait, Fault::nothing_without_work}) {
    EXPECT_TRUE(tried(latency, f, false).passed) << names().at(f);
    EXPECT_FALSE(tried(latency, f, true).passed) << names().at(f);
  }
}

/// Like one that another profiler keeps out.
class RefusedTracer : public test::SimulatedTracer {
 public:
  void start() override {
    throw runtime::CannotRunError("tracer cannot be used here: another one is attached");
  }
};

TEST(LaunchInstruments, ATracerThatCannotBeUsedIsLeftAwayAndNamed) {
  const Machine machine;
  const Entry e = test::simulated_entry(Role::launch, Fault::none);
  auto bench = std::make_shared<Bench>();
  bench->tracer = std::make_unique<RefusedTracer>();
  const auto trial = launch_trial(test::simulated_problem("latency"), e, bench);
  harness::Measurement row;
  ASSERT_TRUE(trial->start(row).passed());
  for (int k = 0; k < 9; ++k) test::add_sample(row, trial->sample().host);
  const harness::Verdict v = trial->finish(row);
  EXPECT_TRUE(v.passed()) << v.reference;
  EXPECT_NE(v.reference.find("another one is attached"), std::string::npos) << v.reference;
}

/// A tracer is on for its own samples alone.
TEST(LaunchInstruments, TheTracerIsOffWhereFiguresAreTimed) {
  struct Watching : test::SimulatedTracer {
    bool* on;
    explicit Watching(bool* b) : on(b) {}
    void start() override {
      *on = true;
      SimulatedTracer::start();
    }
    void stop() override {
      *on = false;
      SimulatedTracer::stop();
    }
  };
  const Machine machine;
  const Entry e = test::simulated_entry(Role::launch, Fault::none);
  auto bench = std::make_shared<Bench>();
  bool on = false;
  bench->tracer = std::make_unique<Watching>(&on);
  const auto trial = launch_trial(test::simulated_problem("latency"), e, bench);
  harness::Measurement row;
  trial->start(row);
  for (int k = 0; k < 9; ++k) {
    test::add_sample(row, trial->sample().host);
    EXPECT_FALSE(on);
  }
  trial->finish(row);
  EXPECT_FALSE(on);
}

TEST(LaunchInstruments, FindingsFollowFromTheInterval) {
  const auto finding = [](double center, double half_width, bool at_least = false, double bound = 1) {
    Agreement a;
    a.bound = bound;
    a.at_least = at_least;
    std::vector<double> quantity, expected;
    for (int k = 0; k < 15; ++k) {
      expected.push_back(100 + k);
      quantity.push_back(100 + k + center +
                         half_width * (k - 7) / 4);  // the interval ends at the 4th from the middle
    }
    judge(a, quantity, expected);
    return a.finding;
  };
  EXPECT_EQ(finding(0.5, 0.1), Finding::agrees);
  EXPECT_EQ(finding(1.5, 0.1), Finding::differs);
  EXPECT_EQ(finding(-1.5, 0.1), Finding::differs);
  EXPECT_EQ(finding(0, 5), Finding::unclear);
  EXPECT_EQ(finding(50, 5), Finding::differs) << "however wide";
  EXPECT_EQ(finding(50, 5, true), Finding::agrees) << "more than at least";
  EXPECT_EQ(finding(-50, 5, true), Finding::differs);
  EXPECT_EQ(finding(std::nan(""), 0), Finding::differs);
  // The quantity's median is 107.
  EXPECT_EQ(finding(0, 1, false, 26), Finding::agrees);
  EXPECT_EQ(finding(0, 1, false, 27), Finding::coarse) << "within a bound that anything is within";
  EXPECT_EQ(finding(50, 1, true, 50), Finding::coarse) << "as a lower bound too";
  EXPECT_EQ(finding(200, 1, false, 90), Finding::differs) << "beyond it all the same";
}

// Equation 3.

harness::Measurement measured_on(const Machine&, const char* quantity) {
  const Entry e = test::simulated_entry(Role::launch, Fault::none);
  Problem p = test::simulated_problem(quantity);
  auto bench = std::make_shared<Bench>();
  bench->tracer = std::make_unique<test::SimulatedTracer>();
  const auto trial = launch_trial(p, e, bench);
  p.threads = 128;  // as the findings' table wants it
  harness::Measurement row = test::row("launch", "simulated", study().list().values(p), {});
  trial->start(row);
  for (int k = 0; k < 9; ++k) test::add_sample(row, trial->sample().host);
  row.verdict = trial->finish(row);
  EXPECT_TRUE(row.verdict.passed()) << quantity << ": " << row.verdict.reference;
  return row;
}

/// Launch functions that differ in what a call, the device and the notice cost.
std::vector<test::Costs> launch_functions() {
  std::vector<test::Costs> all(4);
  all[1].launch = 3.2e-6;
  all[1].gap = 0.9e-6;
  all[2].arrival = 4e-6;
  all[2].notice = 2e-6;
  all[3].launch = 9e-6;
  all[3].kernel = 1.6e-6;
  return all;
}

std::vector<harness::Measurement> terms_of(const test::Costs& costs) {
  const Machine machine;
  Machine::state().costs = costs;
  std::vector<harness::Measurement> rows;
  for (const char* q : {"total-overhead", "dispatch", "fusion-overhead", "other-overhead"})
    rows.push_back(measured_on(machine, q));
  return rows;
}

TEST(LaunchEquation3, AddsUpForEveryLaunchFunction) {
  for (const test::Costs& costs : launch_functions()) {
    const std::vector<harness::Measurement> rows = terms_of(costs);
    std::vector<double> m;
    for (const harness::Measurement& r : rows) m.push_back(1e6 * r.host().value);
    const harness::Measurement& other = rows.back();
    // Of the same samples exactly; against rows of their own but for readings of the clock.
    EXPECT_NEAR(other.metric("total"),
                other.metric("launching_call") + other.metric("execution_overhead") + m[3], 1e-9);
    EXPECT_NEAR(m[0], m[1] + m[2] + m[3], 0.03);
    EXPECT_NEAR(m[3], 1e6 * (costs.arrival + costs.notice - costs.gap), 0.03);
    EXPECT_NEAR(other.metric("total"), m[0], 0.03);
    EXPECT_NEAR(other.metric("launching_call"), 1e6 * costs.launch, 0.03);
    EXPECT_NEAR(other.metric("execution_overhead"), m[2], 0.03);
  }
}

TEST(LaunchEquation3, IsCheckedOnRecords) {
  std::vector<harness::Measurement> rows = terms_of(test::Costs());
  const auto spread = [](harness::Measurement& m) {
    const std::vector<double> samples = m.host_seconds.front();
    m.host_seconds.clear(), m.starts.clear(), m.processes.clear();
    for (std::size_t k = 0; k < samples.size(); ++k) {  // as if each came from a start of its own
      m.host_seconds.push_back(
          {samples[k] + (m.word("quantity") == "dispatch" ? 0.02e-6 * (double(k) - 4) : 0)});
      m.starts.push_back(int(k) + 1);
      m.processes.push_back(std::to_string(k));
    }
  };
  for (harness::Measurement& m : rows) spread(m);
  const auto found = analysis::equation_3(analysis::launch_findings(rows));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].holds()) << found[0].rest.interval->low << " " << found[0].rest.interval->high;
  EXPECT_NEAR(found[0].rest.value, 0, 0.03e-6);
  EXPECT_LT(found[0].rest.interval->high - found[0].rest.interval->low, 0.2e-6);
  EXPECT_TRUE(found[0].decides());
  EXPECT_EQ(found[0].total, rows[0].host().value);
  analysis::Equation3 wide = found[0];
  wide.rest.interval = harness::Interval{-0.2 * wide.total, 0.2 * wide.total};
  EXPECT_TRUE(wide.holds() && !wide.decides());
  for (std::vector<double>& s : rows[3].host_seconds)
    s.front() += 2e-6;  // as when 'other' came from launches of other work
  const auto wrong = analysis::equation_3(analysis::launch_findings(rows));
  EXPECT_FALSE(wrong.at(0).holds());
  EXPECT_NEAR(wrong.at(0).rest.value, -2e-6, 0.03e-6);
  for (std::string& process : rows[3].processes) process += " of another run";
  EXPECT_TRUE(analysis::equation_3(analysis::launch_findings(rows)).empty()) << "never in one process";
  rows.erase(rows.begin());
  EXPECT_TRUE(analysis::equation_3(analysis::launch_findings(rows)).empty()) << "a term is missing";
}

/// A start whose terms overlap has a negative rest. It is kept: without such starts the others would lie.
TEST(LaunchEquation3, WhatHasTheWrongSignIsKept) {
  for (const double gap : {0.5e-6, 4e-6}) {
    const Machine machine;
    Machine::state().costs.gap = gap;
    const harness::Measurement row = measured_on(machine, "other-overhead");
    EXPECT_EQ(row.host().value<0, gap> 1e-6);
    EXPECT_NEAR(1e6 * row.host().value,
                row.metric("total") - row.metric("launching_call") - row.metric("execution_overhead"), 1e-9);
  }
}

}  // namespace
