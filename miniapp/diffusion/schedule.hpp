// SPDX-License-Identifier: BSD-3-Clause
// Turns the steps of a run into launches: one by one, or through recordings that are started again and again.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "diffusion/mechanism.hpp"
#include "study/recording.hpp"

namespace parity::diffusion {

/// What a run consists of. Fields 0 and 1 take turns as input and output.
class Launches {
 public:
  virtual ~Launches() = default;
  virtual void step(int from) = 0;  ///< one filter step, from field 'from' into the other one
  virtual void copy_back() = 0;     ///< field 1 into field 0
  virtual void finish(int at) = 0;  ///< what the result in field 'at' still needs, its halo
};

/// Records the launches that a function makes.
using Record =
    std::function<std::unique_ptr<study::Recording>(const std::function<void(Launches&)>& launches)>;

/// The steps of one run under a schedule. Odd and even numbers of steps are both right.
class StepSchedule {
 public:
  explicit StepSchedule(std::int64_t steps) : steps_(steps) {}

  /// Records and instantiates. Without it the steps are launched one by one.
  void prepare(Schedule schedule, const Record& record);
  /// Starts a whole run; returns the field that will hold the result.
  int run(Launches& plain);

 private:
  std::int64_t steps_;
  Schedule schedule_ = Schedule::stream;
  std::unique_ptr<study::Recording> first_, second_, even_;  ///< even_: a source of arguments only
};

}  // namespace parity::diffusion
