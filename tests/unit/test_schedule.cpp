// SPDX-License-Identifier: BSD-3-Clause
// Every schedule makes the same steps as a plain run, for odd and even numbers of steps.
#include <gtest/gtest.h>

#include "diffusion/problem.hpp"
#include "diffusion/schedule.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;

using Log = std::vector<std::string>;

/// Writes down what is launched.
class Writer : public Launches {
 public:
  explicit Writer(Log& log) : log_(log) {}
  void step(int from) override { log_.push_back("step " + std::to_string(from)); }
  void copy_back() override { log_.push_back("copy"); }
  void finish(int at) override { log_.push_back("finish " + std::to_string(at)); }

 private:
  Log& log_;
};

/// Holds what was recorded and writes it down again when submitted.
class Playback : public study::Recording {
 public:
  Playback(Log recorded, Log& log, int& submitted)
      : recorded_(std::move(recorded)), log_(log), submitted_(submitted) {}
  void instantiate() override { ready_ = true; }
  void submit() override {
    ASSERT_TRUE(ready_);
    ++submitted_;
    log_.insert(log_.end(), recorded_.begin(), recorded_.end());
  }
  void become(const study::Recording& other) override {
    recorded_ = static_cast<const Playback&>(other).recorded_;
  }

 private:
  Log recorded_;
  Log& log_;
  int& submitted_;
  bool ready_ = false;
};

struct Played {
  Log log;
  int result = 0, submitted = 0;
};

Played play(Schedule schedule, std::int64_t steps) {
  Played p;
  StepSchedule run(steps);
  run.prepare(schedule, [&p](const std::function<void(Launches&)>& launches) {
    Log recorded;
    Writer writer(recorded);
    launches(writer);
    return std::make_unique<Playback>(recorded, p.log, p.submitted);
  });
  EXPECT_TRUE(p.log.empty()) << "preparing must not run anything";
  Writer writer(p.log);
  p.result = run.run(writer);
  return p;
}

Log plain_log(std::int64_t steps) {
  Log log;
  for (std::int64_t s = 0; s < steps; ++s) log.push_back("step " + std::to_string(s % 2));
  log.push_back("finish " + std::to_string(steps % 2));
  return log;
}

TEST(StepSchedule, EveryScheduleThatSwapsMakesTheStepsOfAPlainRun) {
  for (const std::int64_t steps : {1, 2, 3, 4, 7, 8, 1025})
    for (const Schedule s :
         {Schedule::stream, Schedule::two, Schedule::unrolled, Schedule::whole, Schedule::update}) {
      const Played p = play(s, steps);
      EXPECT_EQ(p.log, plain_log(steps)) << "schedule " << int(s) << ", " << steps << " steps";
      EXPECT_EQ(p.result, steps % 2);
    }
}

TEST(StepSchedule, CopyAlwaysStepsFromFieldZero) {
  const Played p = play(Schedule::copy, 3);
  EXPECT_EQ(p.log, (Log{"step 0", "copy", "step 0", "copy", "step 0", "copy", "finish 0"}));
  EXPECT_EQ(p.result, 0);
}

TEST(StepSchedule, SubmitsAsOftenAsItsCostModelSays) {
  Problem p;
  for (const std::int64_t steps : {1, 6, 7}) {
    p.steps = steps;
    for (const Mechanism& m : mechanisms()) {
      if (m.plain()) continue;
      // Three launches a step; those of an odd last step count as host calls of their own.
      study::CostModel model;
      model.launches = 3.0 * double(steps);
      const double calls = with_mechanism(model, m, p).submissions;
      const int submitted = play(m.schedule, steps).submitted;
      const double expected = m.schedule == Schedule::update     ? 2.0 * submitted
                              : m.schedule == Schedule::unrolled ? submitted + 3.0 * double(steps % 2)
                                                                 : submitted;
      EXPECT_EQ(calls, expected) << m.name << " " << steps;
    }
  }
}

}  // namespace
