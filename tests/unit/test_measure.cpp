// SPDX-License-Identifier: BSD-3-Clause
// The one loop: who is checked, who is timed, what is handed over, with trials that are made for it.
#include "harness/measure.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/error.hpp"

namespace {

using namespace parity;
using namespace parity::harness;

const Verdict right{0, 1, "a test"}, wrong{2, 1, "a test"};

/// Judged as it is told, before the first sample and after the last.
class Judged : public Trial {
 public:
  Judged(Verdict before, Verdict after, std::string& log, char name)
      : before_(before), after_(after), log_(log), name_(name) {}
  Verdict start(Measurement&) override { return before_; }
  Sample sample() override {
    log_ += name_;
    return {1, 1};
  }
  Verdict finish(Measurement&) override { return after_; }

 private:
  Verdict before_, after_;
  std::string& log_;
  char name_;
};

/// One trial for each pair of verdicts.
class FakeTask : public Task {
 public:
  explicit FakeTask(std::vector<std::pair<Verdict, Verdict>> verdicts) : verdicts_(std::move(verdicts)) {}
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
    char name = 'a';
    for (const auto& [before, after] : verdicts_)
      all.push_back(std::make_unique<Judged>(before, after, log_, name++));
    return all;
  }
  std::string memory_fix() const override { return "nothing"; }
  const std::string& log() const { return log_; }

 private:
  std::vector<std::pair<Verdict, Verdict>> verdicts_;
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
  options.repeats = 3, options.blocks = 1;
  std::vector<std::string> handed_over;
  const Measured m = measure(task, choices, options, {}, [&](const Measurement& row) {
    handed_over.push_back(row.variant + (row.timed() ? " timed" : ""));
  });
  EXPECT_EQ(task.log(), "accaac") << "who is wrong at first is not even run";
  ASSERT_EQ(m.rows.size(), 3u);
  EXPECT_TRUE(m.rows[0].verdict.passed());
  EXPECT_EQ(m.rows[0].host().samples, 3);
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

/// Refuses its second sample.
class Tired : public Judged {
 public:
  using Judged::Judged;
  Sample sample() override {
    if (taken_++ == 1) throw runtime::CannotRunError("tired\nof it");
    return Judged::sample();
  }

 private:
  int taken_ = 0;
};

/// Of its two choices one is refused at once and one while it works.
class RefusingTask : public FakeTask {
 public:
  RefusingTask() : FakeTask({{right, right}}) {}
  std::vector<std::unique_ptr<Trial>> trials(const std::vector<Choice>&, const Note&) const override {
    static std::string log;
    std::vector<std::unique_ptr<Trial>> all;
    all.push_back(std::make_unique<Tired>(right, right, log, 'a'));
    return all;
  }

 private:
  std::optional<std::string> refuse(const Choice& c) const override {
    return c.entry->name == "cuda-a" ? std::optional<std::string>("no GPU") : std::nullopt;
  }
};

TEST(Measure, WhatIsRefusedIsARowWithItsReasonOfThisStart) {
  std::vector<Entry> entries(2);
  entries[0].name = "cuda-a";
  entries[1].name = "openmp-a";
  RunOptions options;
  options.repeats = 30, options.blocks = 3, options.block = 2;
  const Measured m = measure(RefusingTask(), {{&entries[0]}, {&entries[1]}}, options);
  EXPECT_TRUE(m.rows.empty());
  ASSERT_EQ(m.skipped.size(), 2u);
  EXPECT_EQ(m.skipped[0].row.full_name(), "fake/cuda-a");
  EXPECT_EQ(m.skipped[0].reason, "no GPU");
  EXPECT_EQ(m.skipped[1].row.full_name(), "fake/openmp-a");
  EXPECT_EQ(m.skipped[1].reason, "tired\\x0aof it") << "one line";
  for (const SkippedRow& s : m.skipped) {
    EXPECT_EQ(s.row.starts, std::vector<int>{2});
    EXPECT_FALSE(s.row.run.id.empty());
    EXPECT_FALSE(s.row.timed());
    EXPECT_EQ(key(s.row), s.row.full_name() + "/ n=1");
  }
}

TEST(Measure, JoulesThatCannotBeCountedLeaveARowItsTimes) {
  const FakeTask task({{right, right}});
  Entry entry;
  entry.name = "reference-a";
  struct Standing : runtime::EnergyMeter {
    std::string name() const override { return "standing"; }
    double joules() override { return 7; }
  };
  runtime::EnergyMeters meters;
  meters.host = std::make_unique<Standing>();
  EnergyOptions quick;
  quick.idle_seconds = quick.lead_seconds = quick.window_seconds = quick.between_updates = 0;
  const EnergyProbe probe(std::move(meters), quick);
  RunOptions options;
  options.repeats = 3, options.blocks = 1, options.energy = &probe;
  const Measured m = measure(task, {{&entry}}, options);
  ASSERT_EQ(m.rows.size(), 1u);
  EXPECT_EQ(m.rows[0].host().samples, 3);
  ASSERT_TRUE(m.rows[0].has_energy());
  EXPECT_EQ(m.rows[0].energy[0].refused, "its runs cannot be repeated by themselves");
  EXPECT_EQ(m.rows[0].metrics.size(), 1u) << "no joules";
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
