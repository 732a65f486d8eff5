// SPDX-License-Identifier: BSD-3-Clause
// The measuring loop: checks, timing and its order, and the results that it passes on, with fake trials on a
// clock that only the test moves.
#include "harness/measure.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "harness/energy.hpp"
#include "runtime/error.hpp"
#include "virtual_clock.hpp"

namespace {

using namespace parity;
using namespace parity::harness;
using test::VirtualClock;

/// Number of samples, including those during which other programs ran.
int taken(const Measurement& m) {
  std::size_t n = 0;
  for (const auto& block : m.host_seconds) n += block.size();
  return int(n);
}

const Verdict right{0, 1, "a test"}, wrong{2, 1, "a test"};

/// Loading takes 100 s, advancing 1 s, waiting for an advance 2 s (or the test's value), storing 1000 s.
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
  /// Each reading takes 7 s of the host's time.
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

/// Settings of a trial: its verdicts before the first sample and after the last, the sample that it refuses,
/// the duration of a sample.
struct Judged {
  Verdict before = right, after = right;
  int refuses_at = -1;
  double seconds = 1;
};

/// Logs its calls.
class Fake : public Trial {
 public:
  Fake(Judged judged, std::string& log, std::size_t place)
      : judged_(judged), log_(log), name_(char('a' + place)) {}
  Verdict start(Measurement&) override { return judged_.before; }
  Sample sample() override {
    if (taken_++ == judged_.refuses_at) throw runtime::CannotRunError("tired\nof it");
    log_ += name_;
    VirtualClock::pass(judged_.seconds);
    return {judged_.seconds, 2 * judged_.seconds};
  }
  Verdict finish(Measurement&) override { return judged_.after; }

 private:
  Judged judged_;
  std::string& log_;
  char name_;
  int taken_ = 0;
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
    all[k].trial =
        std::make_unique<Fake>(Judged{right, right, k == 0 ? refuses_at : -1, seconds[k]}, ran.log, k);
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
  o.repeats = 4, o.processes = 1;
  const Ran ran = rounds(o, {1, 2, 3});
  EXPECT_EQ(ran.log, "abcbcacababc");
  for (const Measurement& m : ran.rows) {
    EXPECT_EQ(taken(m), 4);
    EXPECT_EQ(m.stop, "repeats");
  }
  EXPECT_EQ(ran.rows[1].host_seconds, ByProcess(1, std::vector<double>(4, 2.0)));
  EXPECT_EQ(ran.rows[1].device_seconds, ByProcess(1, std::vector<double>(4, 4.0)));
}

TEST(Rounds, WarmUpsAreRunAndNotKept) {
  RunOptions o;
  o.repeats = 2, o.processes = 1, o.warmup = 3;
  const Ran ran = rounds(o, {1});
  EXPECT_EQ(ran.log, "aaaa") << "the checked run was the first warm-up";
  EXPECT_EQ(taken(ran.rows[0]), 2);
}

TEST(Rounds, ARowsTimeCapIsItsOwn) {
  RunOptions o;
  o.repeats = 100, o.processes = 1, o.time_cap = 20;
  const Ran ran = rounds(o, {1, 10, 0.1});
  EXPECT_EQ(taken(ran.rows[0]), 20) << "20 s of its own";
  EXPECT_EQ(ran.rows[0].stop, "time cap");
  EXPECT_EQ(taken(ran.rows[1]), RunOptions::least_repeats) << "however long they take";
  EXPECT_EQ(taken(ran.rows[2]), 100) << "not held back by the others";
  EXPECT_EQ(ran.rows[2].stop, "repeats");
}

TEST(Rounds, BlocksShareRepeatsAndTime) {
  RunOptions o;
  o.repeats = 32, o.processes = 5, o.time_cap = 50;
  EXPECT_EQ(o.processes_needed(), 5);
  EXPECT_EQ(o.repeats_in_process(), 7) << "5 x 7 is 32 at least";
  EXPECT_EQ(o.least_in_process(), 2) << "5 x 2 is nine at least";
  EXPECT_EQ(o.time_cap_in_process(), 10);
  EXPECT_EQ(taken(rounds(o, {1}).rows[0]), 7);
  EXPECT_EQ(taken(rounds(o, {100}).rows[0]), 2);
  o.repeats = 3;
  EXPECT_EQ(o.processes_needed(), 3) << "a block has a sample";
  EXPECT_EQ(o.repeats_in_process(), 1);
  EXPECT_EQ(o.least_in_process(), 1);
}

TEST(Rounds, WhoCannotGoOnDropsOutAndTheOthersStay) {
  RunOptions o;
  o.repeats = 3, o.processes = 1;
  const Ran ran = rounds(o, {1, 2}, 1);
  EXPECT_EQ(ran.refused, (std::vector<std::string>{"tired\nof it", ""}));
  EXPECT_EQ(taken(ran.rows[1]), 3);
}

/// One trial for each choice that can run.
class FakeTask : public Task {
 public:
  explicit FakeTask(std::vector<Judged> trials) : trials_(std::move(trials)) {}
  std::string study() const override { return "fake"; }
  std::string text() const override { return "nothing"; }
  Values values() const override { return {{"n", std::int64_t(1)}}; }
  runtime::MemoryNeed need(const Choice&) const override { return {}; }
  double data_bytes() const override { return 0; }
  double seconds(const Choice&) const override { return 1; }
  CostModel model(const Choice&) const override { return {}; }
  std::vector<Metric> metrics(const Choice&, const Measurement& row) const override {
    return {{"rate", 1 / row.host().value, "1/s", Better::higher}};
  }
  std::vector<std::unique_ptr<Trial>> trials(const std::vector<Choice>&, const Note&) const override {
    std::vector<std::unique_ptr<Trial>> all;
    for (const Judged& judged : trials_) all.push_back(std::make_unique<Fake>(judged, log_, all.size()));
    return all;
  }
  std::string memory_fix() const override { return "nothing"; }
  const std::string& log() const { return log_; }

 private:
  std::vector<Judged> trials_;
  mutable std::string log_;
};

TEST(Measure, WhoIsWrongHasNoTimeWheneverItShows) {
  const FakeTask task({{right, right}, {wrong, right}, {right, wrong}});
  std::vector<Entry> entries(3);
  std::vector<Choice> choices;
  for (Entry& e : entries) {
    e.name = std::string("reference-") + char('a' + choices.size());
    choices.push_back({&e});
  }
  RunOptions options;
  options.repeats = 3, options.processes = 1;
  std::vector<std::string> handed_over;
  const Measured m = measure(task, choices, options, {}, [&](const Measurement& row) {
    handed_over.push_back(row.variant + (row.timed() ? " timed" : ""));
  });
  EXPECT_EQ(task.log(), "accaac") << "who is wrong at first is not even run";
  ASSERT_EQ(m.rows.size(), 3u);
  EXPECT_TRUE(m.rows[0].verdict.passed());
  EXPECT_EQ(taken(m.rows[0]), 3);
  EXPECT_EQ(m.rows[0].device().samples, 3);
  EXPECT_EQ(m.rows[0].metric("rate"), 1);
  for (const int k : {1, 2}) {
    const Measurement& row = m.rows[std::size_t(k)];
    EXPECT_FALSE(row.verdict.passed());
    EXPECT_FALSE(row.timed());
    EXPECT_TRUE(row.device_seconds.empty());
    EXPECT_TRUE(row.metrics.empty());
    EXPECT_EQ(row.verdict.error, 2);
  }
  EXPECT_EQ(handed_over, (std::vector<std::string>{"reference-b", "reference-a timed", "reference-c"}));
}

TEST(Verdict, PassesOnlyWhatIsWithinAFiniteTolerance) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE((Verdict{0, 0, ""}).passed());
  EXPECT_TRUE((Verdict{1, 1, ""}).passed());
  for (const Verdict& v : std::initializer_list<Verdict>{
           {1.1, 1, ""}, {nan, 1, ""}, {inf, 1, ""}, {inf, inf, ""}, {0, inf, ""}, {0, nan, ""}, {-1, 1, ""}})
    EXPECT_FALSE(v.passed()) << v.error << " of " << v.tolerance;
}

}  // namespace
