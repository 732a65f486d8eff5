// SPDX-License-Identifier: BSD-3-Clause
// What is timed and in which order, on a clock that only the test moves.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "harness/measure.hpp"
#include "harness/rounds.hpp"
#include "runtime/error.hpp"
#include "virtual_clock.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using test::VirtualClock;

/// Loading takes 100 s, advancing 1 s, waiting for an advance 2 s, storing 1000 s.
class Clocked : public Execution {
 public:
  void advance() override {
    VirtualClock::pass(1);
    pending_ = true;
  }
  void synchronise() override {
    if (pending_) VirtualClock::pass(2);
    pending_ = false;
  }

 private:
  bool pending_ = false;
};

std::unique_ptr<Trial> clocked_trial(double error) {
  StepsOf<Clocked> steps;
  steps.make = [] {
    VirtualClock::pass(10);
    return std::make_unique<Clocked>();
  };
  steps.load = [](Clocked&) { VirtualClock::pass(100); };
  steps.prepare = [](Clocked&) { VirtualClock::pass(50); };
  steps.store = [](Clocked&) { VirtualClock::pass(1000); };
  steps.check = [error] { return Verdict{error, 0, "nothing"}; };
  return execution_trial(std::move(steps));
}

TEST(ExecutionTrial, TimesAdvanceAndTheWaitForItAndNothingElse) {
  const VirtualClock clock;
  Measurement row;
  const auto trial = clocked_trial(0);
  EXPECT_TRUE(trial->start(row).passed());
  EXPECT_NEAR(row.setup_seconds, 10, 1e-6);
  EXPECT_NEAR(row.store_seconds, 1000, 1e-6);
  EXPECT_NEAR(row.load_seconds, 100, 1e-6);
  EXPECT_NEAR(row.capture_seconds, 50, 1e-6);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(trial->sample().host, 3, 1e-6);
}

TEST(ExecutionTrial, IsCheckedAgainAtTheEnd) {
  const VirtualClock clock;
  Measurement row;
  const auto wrong = clocked_trial(1);
  EXPECT_FALSE(wrong->start(row).passed());
  EXPECT_FALSE(wrong->finish(row).passed());
}

/// Samples of a known length; writes down who ran.
class Written : public Trial {
 public:
  Written(std::string& log, char name, double seconds, int refuses_at = -1)
      : log_(log), name_(name), seconds_(seconds), refuses_at_(refuses_at) {}
  Verdict start(Measurement&) override { return {0, 0, ""}; }
  Sample sample() override {
    if (taken_++ == refuses_at_) throw runtime::CannotRunError("cannot");
    log_ += name_;
    VirtualClock::pass(seconds_);
    return {seconds_, 2 * seconds_};
  }
  Verdict finish(Measurement&) override { return {0, 0, ""}; }

 private:
  std::string& log_;
  char name_;
  double seconds_;
  int refuses_at_, taken_ = 0;
};

struct Ran {
  std::string log;
  std::vector<Measurement> rows;
  std::vector<std::string> refused;
};

Ran rounds(const RunOptions& o, const std::vector<double>& seconds, int refuses_at = -1) {
  const VirtualClock clock;
  Ran ran;
  std::vector<Running> all(seconds.size());
  std::vector<Running*> running;
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    all[k].trial = std::make_unique<Written>(ran.log, char('a' + k), seconds[k], k == 0 ? refuses_at : -1);
    running.push_back(&all[k]);
  }
  run_rounds(running, o);
  for (const Running& r : all) {
    ran.rows.push_back(r.row);
    ran.refused.push_back(r.refused);
  }
  return ran;
}

TEST(Rounds, OrderRotatesAndEveryTrialGetsItsSamples) {
  RunOptions o;
  o.repeats = 4, o.enough = 100;
  const Ran ran = rounds(o, {1, 2, 3});
  EXPECT_EQ(ran.log, "abcbcacababc");
  for (const Measurement& m : ran.rows) {
    EXPECT_EQ(m.host_seconds.size(), 4u);
    EXPECT_EQ(m.stop, "repeats");
  }
  EXPECT_EQ(ran.rows[1].host_seconds, std::vector<double>(4, 2.0));
  EXPECT_EQ(ran.rows[1].device_seconds, std::vector<double>(4, 4.0));
}

TEST(Rounds, WarmUpsAreRunAndNotKept) {
  RunOptions o;
  o.repeats = 2, o.enough = 100, o.warmup = 3;
  const Ran ran = rounds(o, {1});
  EXPECT_EQ(ran.log, "aaaa") << "the checked run was the first warm-up";
  EXPECT_EQ(ran.rows[0].host_seconds.size(), 2u);
}

TEST(Rounds, TheTimeCapEndsThemAfterAtLeastOneRound) {
  RunOptions o;
  o.repeats = 100, o.enough = 100, o.time_cap = 10;
  const Ran ran = rounds(o, {1, 2});
  EXPECT_EQ(ran.rows[0].host_seconds.size(), 4u);  // 3 s a round: the fourth ends after 10 s
  EXPECT_EQ(ran.rows[0].stop, "time cap");
  o.time_cap = 0;
  EXPECT_EQ(rounds(o, {1, 2}).log, "ab");
}

TEST(Rounds, TightIntervalsEndThem) {
  RunOptions o;
  o.repeats = 100, o.enough = 9;
  const Ran ran = rounds(o, {1, 2});
  EXPECT_EQ(ran.rows[0].host_seconds.size(), 9u);
  EXPECT_EQ(ran.rows[0].stop, "tight");
}

TEST(Rounds, WhoCannotGoOnDropsOutAndTheOthersStay) {
  RunOptions o;
  o.repeats = 3, o.enough = 100;
  const Ran ran = rounds(o, {1, 2}, 1);
  EXPECT_EQ(ran.refused, (std::vector<std::string>{"cannot", ""}));
  EXPECT_EQ(ran.rows[1].host_seconds.size(), 3u);
}

}  // namespace
