// SPDX-License-Identifier: BSD-3-Clause
// Every figure of the launch study against every way in which a probe or a method can be wrong, on a simulated
// machine whose times are exact.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "launch/agreement.hpp"
#include "launch/trial.hpp"
#include "runtime/error.hpp"
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

/// The figure's whole trial, samples and checks.
struct Outcome {
  bool passed = false;
  double figure = 0;
  std::string text;
};
Outcome tried(const Case& c, Fault fault, bool with_tracer = true) {
  const Machine machine;
  const Entry e = test::simulated_entry(c.role, fault);
  auto bench = std::make_shared<Bench>();
  if (with_tracer)
    bench->tracer = std::make_unique<test::SimulatedTracer>();
  else
    bench->no_tracer = "no tracer in this test";
  const auto trial = launch_trial(test::simulated_problem(c.quantity), e, bench);
  harness::Measurement row;
  Outcome o;
  harness::Verdict v = trial->start(row);
  for (int k = 0; k < 9; ++k) row.host_seconds.push_back(trial->sample().host);
  o.figure = row.host().median;
  if (v.passed()) try {
      v = trial->finish(row);
    } catch (const runtime::CannotRunError& error) {
      o.text = error.what();
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
  if (c.role == Role::fork_join) return (q == "copy" ? 8 : 3) * us;
  if (c.role == Role::graph) {
    const std::map<std::string, double> of_graph = {
        {"node", 1.0},          {"fusion-overhead", 1.0},  // 0.8 and a gap of 0.2
        {"copy", 6.0},          {"graph-create", 6.7},     // 21 calls of 0.3, the wait 0.4
        {"graph-instantiate", 21.4}, {"graph-upload", 19.3},
        {"graph-first-launch", 24.1},  // call 2.5, arrival 1.1, 20 kernels of 0.8, 19 gaps of 0.2, notice 0.7
        {"graph-dispatch", 2.5}, {"graph-latency", 24.1}, {"graph-repeat", 20.3}};
    return of_graph.at(q) * us;
  }
  const std::map<std::string, double> of_launch = {
      {"null-overhead", 2.0},    // the host's pace
      {"fusion-overhead", 1.3},  // the device's: 0.8 and a gap of 0.5
      {"total-overhead", 4.6},   // call 2, arrival 1.1, kernel 0.8, notice 0.7
      {"other-overhead", 1.3},   // 4.6 - 2 - 1.3
      {"dispatch", 2.0},      {"throughput", 2.13}, {"latency", 4.6},
      {"synchronise", 0.4},   {"device-interval", 1.3}, {"copy", 6.3}};
  return of_launch.at(q) * us;
}

/// A delay or a part of a bracket that a figure does not hold changes nothing in it.
constexpr double unchanged = 0.03e-6;

class EveryFigure : public testing::TestWithParam<Case> {};

TEST_P(EveryFigure, IsFoundAndAgreesWithItsInstruments) {
  const Outcome o = tried(GetParam(), Fault::none);
  EXPECT_TRUE(o.passed) << o.text;
  EXPECT_NEAR(o.figure, truth(GetParam()), 0.01e-6 + 1e-4 * truth(GetParam()));
  EXPECT_NE(o.text.find("event log"), std::string::npos) << o.text;
  if (GetParam().role == Role::fork_join)
    EXPECT_NE(o.text.find("bare loop"), std::string::npos) << o.text;
  else
    EXPECT_NE(o.text.find("tracer"), std::string::npos) << o.text;
}

/// Why a fault cannot exist for a figure, or cannot change it; empty where it must be caught.
std::string harmless(const Case& c, Fault f);

TEST_P(EveryFigure, CatchesEveryFault) {
  const Case c = GetParam();
  const double right = tried(c, Fault::none).figure;
  for (const auto& [fault, what] : names()) {
    if (fault == Fault::none) continue;
    const Outcome o = tried(c, fault);
    const std::string why = harmless(c, fault);
    if (why.empty())
      EXPECT_FALSE(o.passed) << c.quantity << " (" << name(c.role) << ") " << what << ": figure " << 1e6 * o.figure
                             << " us instead of " << 1e6 * right << "; " << o.text;
    else
      EXPECT_TRUE(o.passed && std::abs(o.figure - right) < unchanged)
          << c.quantity << " (" << name(c.role) << ") " << what << " is said to be harmless (" << why
          << "): figure " << 1e6 * o.figure << " us instead of " << 1e6 * right << "; " << o.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Launch, EveryFigure, testing::ValuesIn(all_cases()), [](const auto& info) {
  std::string text = info.param.quantity + "_" + name(info.param.role);
  for (char& ch : text)
    if (ch == '-') ch = '_';
  return text;
});

std::string harmless(const Case&, Fault) { return ""; }

}  // namespace
