// SPDX-License-Identifier: BSD-3-Clause
// What is timed and in which order, on a clock that only the test moves.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "harness/measure.hpp"
#include "runtime/error.hpp"
#include "virtual_clock.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using test::VirtualClock;

/// Loading takes 100 s, advancing 1 s, waiting for an advance 2 s (or what a test sets), storing 1000 s.
class Clocked : public Execution {
 public:
  void advance() override {
    VirtualClock::pass(1);
    pending_ = true;
  }
  void synchronise() override {
    if (pending_) VirtualClock::pass(wait_);
    pending_ = false;
  }
  runtime::DeviceClock* device_clock() override { return has_device_ ? &clock_ : nullptr; }

  static inline bool has_device_ = false;
  static inline double wait_ = 2;

 private:
  /// Each of its readings takes 7 s of the host's time.
  struct Device : runtime::DeviceClock {
    void start() override { VirtualClock::pass(7), ++started; }
    void stop() override { VirtualClock::pass(7); }
    double seconds() override { return 0.5; }
    int started = 0;
  } clock_;
  bool pending_ = false;
};

class ClockedTrial : public ExecutionTrial {
 public:
  explicit ClockedTrial(double error) : error_(error) {}

 private:
  Execution& make() override {
    VirtualClock::pass(10);
    return clocked_;
  }
  void load() override { VirtualClock::pass(100); }
  bool prepares() const override { return true; }
  void prepare() override { VirtualClock::pass(50); }
  void store() override { VirtualClock::pass(1000); }
  Verdict check() override { return {error_, 0, "nothing"}; }

  double error_;
  Clocked clocked_;
};

std::unique_ptr<Trial> clocked_trial(double error) { return std::make_unique<ClockedTrial>(error); }

TEST(ExecutionTrial, TimesAdvanceAndTheWaitForItAndNothingElse) {
  const VirtualClock clock;
  Measurement row;
  const auto trial = clocked_trial(0);
  EXPECT_TRUE(trial->start(row).passed());
  EXPECT_NEAR(row.setup_seconds, 10, 1e-6);
  EXPECT_NEAR(row.store_seconds, 1000, 1e-6);
  EXPECT_NEAR(row.load_seconds, 100, 1e-6);
  EXPECT_NEAR(row.capture_seconds, 50, 1e-6);
  EXPECT_NEAR(row.first_seconds, 3, 1e-6);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(trial->sample().host, 3, 1e-6);
}

TEST(ExecutionTrial, TheDevicesClockIsNoPartOfWhatTheHostTimes) {
  const VirtualClock clock;
  Clocked::has_device_ = true;
  Measurement row;
  const auto trial = clocked_trial(0);
  EXPECT_TRUE(trial->start(row).passed());
  for (int k = 0; k < 2; ++k) {
    const Sample s = trial->sample();
    EXPECT_NEAR(s.host, 3, 1e-6);
    EXPECT_EQ(s.device, k == 0 ? 0.5 : -1) << "a long run has one of these in a start";
  }
  Clocked::has_device_ = false;
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
  o.repeats = 4, o.blocks = 1;
  const Ran ran = rounds(o, {1, 2, 3});
  EXPECT_EQ(ran.log, "abcbcacababc");
  for (const Measurement& m : ran.rows) {
    EXPECT_EQ(m.host().samples, 4);
    EXPECT_EQ(m.stop, "repeats");
  }
  EXPECT_EQ(ran.rows[1].host_seconds, Blocks(1, std::vector<double>(4, 2.0)));
  EXPECT_EQ(ran.rows[1].device_seconds, Blocks(1, std::vector<double>(4, 4.0)));
}

TEST(Rounds, WarmUpsAreRunAndNotKept) {
  RunOptions o;
  o.repeats = 2, o.blocks = 1, o.warmup = 3;
  const Ran ran = rounds(o, {1});
  EXPECT_EQ(ran.log, "aaaa") << "the checked run was the first warm-up";
  EXPECT_EQ(ran.rows[0].host().samples, 2);
}

TEST(Rounds, ARowsTimeCapIsItsOwn) {
  RunOptions o;
  o.repeats = 100, o.blocks = 1, o.time_cap = 20;
  const Ran ran = rounds(o, {1, 10, 0.1});
  EXPECT_EQ(ran.rows[0].host().samples, 20) << "20 s of its own";
  EXPECT_EQ(ran.rows[0].stop, "time cap");
  EXPECT_EQ(ran.rows[1].host().samples, RunOptions::least_repeats) << "however long they take";
  EXPECT_EQ(ran.rows[2].host().samples, 100) << "not held back by the others";
  EXPECT_EQ(ran.rows[2].stop, "repeats");
}

TEST(Rounds, BlocksShareRepeatsAndTime) {
  RunOptions o;
  o.repeats = 32, o.blocks = 5, o.time_cap = 50;
  EXPECT_EQ(o.blocks_needed(), 5);
  EXPECT_EQ(o.repeats_in_block(), 7) << "5 x 7 is 32 at least";
  EXPECT_EQ(o.least_in_block(), 2) << "5 x 2 is nine at least";
  EXPECT_EQ(o.time_cap_in_block(), 10);
  EXPECT_EQ(rounds(o, {1}).rows[0].host().samples, 7);
  EXPECT_EQ(rounds(o, {100}).rows[0].host().samples, 2);
  o.repeats = 3;
  EXPECT_EQ(o.blocks_needed(), 3) << "a block has a sample";
  EXPECT_EQ(o.repeats_in_block(), 1);
  EXPECT_EQ(o.least_in_block(), 1);
}

TEST(Rounds, WhoCannotGoOnDropsOutAndTheOthersStay) {
  RunOptions o;
  o.repeats = 3, o.blocks = 1;
  const Ran ran = rounds(o, {1, 2}, 1);
  EXPECT_EQ(ran.refused, (std::vector<std::string>{"cannot", ""}));
  EXPECT_EQ(ran.rows[1].host().samples, 3);
}

}  // namespace
