// SPDX-License-Identifier: BSD-3-Clause
// Every schedule makes the same steps as a plain run, for odd and even numbers of steps.
#include <gtest/gtest.h>

#include <cmath>

#include "diffusion/mechanism.hpp"
#include "diffusion/passes.hpp"
#include "diffusion/problem.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;

using Log = std::vector<std::string>;

/// Logs launches.
class Writer : public Launches {
 public:
  explicit Writer(Log& log) : log_(log) {}
  void step(int from) override { log_.push_back("step " + std::to_string(from)); }
  void copy_back() override { log_.push_back("copy"); }
  void finish(int at) override { log_.push_back("finish " + std::to_string(at)); }

 private:
  Log& log_;
};

/// Keeps captured launches and logs them again when it is launched.
class Playback : public runtime::Graph {
 public:
  Playback(Log gathered, Log& log, int& launched)
      : gathered_(std::move(gathered)), log_(log), launched_(launched) {}
  void instantiate() override { ready_ = true; }
  void launch() override {
    ASSERT_TRUE(ready_);
    ++launched_;
    log_.insert(log_.end(), gathered_.begin(), gathered_.end());
  }
  void update_from(const runtime::Graph& other) override {
    gathered_ = static_cast<const Playback&>(other).gathered_;
  }

 private:
  Log gathered_;
  Log& log_;
  int& launched_;
  bool ready_ = false;
};

struct Played {
  Log log;
  int result = 0, launched = 0;
  std::size_t recorded = 0;  ///< launches in the graphs
};

Mechanism mechanism(Schedule schedule, int body_steps = 0) {
  return {"", schedule, GraphBy::capture, "", body_steps};
}

Played play(const Mechanism& m, std::int64_t steps) {
  Played p;
  StepSchedule run(steps);
  const auto gathered = [&p](const Recorded& launches) {
    Log log;
    Writer writer(log);
    launches(writer);
    p.recorded += log.size();
    return log;
  };
  run.prepare(
      m,
      [&](const Recorded& launches) {
        return std::make_unique<Playback>(gathered(launches), p.log, p.launched);
      },
      [&](std::int64_t passes, const Recorded& body, const Recorded& rest) {
        const Log once = gathered(body), last = gathered(rest);
        Log all;
        for (std::int64_t k = 0; k < passes; ++k) all.insert(all.end(), once.begin(), once.end());
        all.insert(all.end(), last.begin(), last.end());
        return std::make_unique<Playback>(all, p.log, p.launched);
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
      const Played p = play(mechanism(s), steps);
      EXPECT_EQ(p.log, plain_log(steps)) << "schedule " << int(s) << ", " << steps << " steps";
      EXPECT_EQ(p.result, steps % 2);
    }
}

TEST(StepSchedule, ALoopMakesAnyNumberOfStepsOfFewRecordedOnes) {
  for (const int body : {2, 4, 32})
    for (const std::int64_t steps : {1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 1025, 4096}) {
      const Played p = play(mechanism(Schedule::loop, body), steps);
      EXPECT_EQ(p.log, plain_log(steps)) << steps << " steps, " << body << " a pass";
      EXPECT_EQ(p.result, steps % 2);
      EXPECT_EQ(p.launched, 1);
      EXPECT_LE(p.recorded, std::size_t(2 * body)) << steps << " steps, " << body << " a pass";
    }
}

TEST(StepSchedule, CopyAlwaysStepsFromFieldZero) {
  const Played p = play(mechanism(Schedule::copy), 3);
  EXPECT_EQ(p.log, (Log{"step 0", "copy", "step 0", "copy", "step 0", "copy", "finish 0"}));
  EXPECT_EQ(p.result, 0);
}

/// Passes in the order of cuda-temporal-tuned: full ones, a shorter one, and one for an odd step.
template <class T>
void all_factors_are_applied_in_the_end(int steps, int longest) {
  constexpr int range = DeferredScale<T>::steps_of_passes;
  std::vector<int> passes;
  for (int left = steps; left > 0; left -= passes.back())
    passes.push_back(left >= longest ? longest : left > 1 ? left / 2 * 2 : 1);
  DeferredFactors<T> deferred;
  double product = 1;
  int applied = 0;
  for (std::size_t n = 0; n < passes.size(); ++n) {
    const double factor = deferred.factor_after(passes[n], n + 1 == passes.size());
    EXPECT_LE(deferred.behind, range);
    EXPECT_GE(factor, std::ldexp(1.0, -range));
    product *= factor;
    applied += factor != 1;
  }
  EXPECT_EQ(product, std::ldexp(1.0, -steps)) << steps << " steps, " << longest << " a pass";
  EXPECT_EQ(deferred.behind, 0);
  // As few as the range allows: most passes apply no factor.
  EXPECT_LE(applied, steps / (range - longest) + 1);
}

TEST(DeferredFactors, AllFactorsAreAppliedInTheEndAndNeverTooManyDeferred) {
  for (const int longest : {3, 8, 16})
    for (const auto& [first, last] : {std::pair(1, 200), std::pair(500, 530), std::pair(1000, 1040)})
      for (int steps = first; steps <= last; ++steps) {
        all_factors_are_applied_in_the_end<float>(steps, longest);
        all_factors_are_applied_in_the_end<double>(steps, longest);
      }
}

TEST(DeferredFactors, APassLongerThanTheOneBeforeIsAnError) {
  DeferredFactors<float> deferred;
  EXPECT_EQ(deferred.factor_after(24, false), 1);
  EXPECT_THROW(deferred.factor_after(25, false), std::logic_error);
}

}  // namespace
