// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/mechanism.hpp"

#include <cmath>
#include <stdexcept>

#include "diffusion/problem.hpp"

namespace parity::diffusion {

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> table = {
      {"stream", Schedule::stream, GraphBy::none, "every kernel launched on its own"},
      {"graph-copy", Schedule::copy, GraphBy::capture,
       "captured graph of one step and a copy back; launched N times"},
      {"graph-two", Schedule::two, GraphBy::capture, "two captured graphs, even and odd steps in turn"},
      {"graph-unrolled", Schedule::unrolled, GraphBy::capture, "captured graph of two steps; N/2 times"},
      {"graph-fork", Schedule::unrolled, GraphBy::capture,
       "graph-unrolled, but launches that need nothing of each other are on branches", 0, /*forks=*/true},
      {"graph-whole", Schedule::whole, GraphBy::capture, "captured graph of all steps; launched once"},
      {"graph-update", Schedule::update, GraphBy::capture,
       "captured graph of one step, its arguments updated before each launch"},
      {"graph-while-2", Schedule::loop, GraphBy::capture,
       "captured graph that repeats two steps, counting on the device; launched once (CUDA 12.4)", 2},
      {"graph-while-32", Schedule::loop, GraphBy::capture, "the same, repeating 32 steps", 32},
      {"kokkos-graph-copy", Schedule::copy, GraphBy::kokkos,
       "Kokkos graph of one step and a copy back; submitted N times"},
      {"kokkos-graph-two", Schedule::two, GraphBy::kokkos, "two Kokkos graphs, even and odd in turn"},
      {"kokkos-graph-unrolled", Schedule::unrolled, GraphBy::kokkos, "Kokkos graph of two steps; N/2 times"},
      {"kokkos-graph-fork", Schedule::unrolled, GraphBy::kokkos,
       "kokkos-graph-unrolled, but launches that need nothing of each other are on branches", 0,
       /*forks=*/true},
      {"kokkos-graph-whole", Schedule::whole, GraphBy::kokkos, "Kokkos graph of all steps; submitted once"},
  };
  return table;
}

harness::CostModel with_mechanism(const harness::CostModel& model, const Mechanism& mechanism,
                                  const Problem& p) {
  harness::CostModel m = model;
  const double steps = double(p.steps), a_step = model.launches / steps;
  m.submissions = m.launches;
  switch (mechanism.schedule) {
    case Schedule::stream:
      break;
    case Schedule::copy:
      m.submissions = steps;
      m.launches += steps;
      m.bytes += 2.0 * steps * p.field_bytes();
      break;
    case Schedule::two:
      m.submissions = steps;
      break;
    case Schedule::unrolled:
      m.submissions = std::floor(steps / 2) + (p.steps % 2 == 0 ? 0 : a_step);
      break;
    case Schedule::whole:
      m.submissions = 1;
      break;
    case Schedule::update:
      m.submissions = 2 * steps;
      break;
    case Schedule::loop:
      m.submissions = 1;
      // Kernels that count the passes: one before the loop, and one in each pass.
      if (p.steps >= mechanism.body_steps) m.launches += 1 + double(p.steps / mechanism.body_steps);
      break;
  }
  return m;
}

namespace {

/// Records 'steps' steps, the first from field 0.
Recorded steps_from_zero(std::int64_t steps) {
  return [steps](Launches& l) {
    for (std::int64_t s = 0; s < steps; ++s) l.step(int(s % 2));
  };
}

}  // namespace

void StepSchedule::prepare(const Mechanism& mechanism, const MakeGraph& make_graph,
                           const MakeLoop& make_loop) {
  first_.reset();
  second_.reset();
  even_.reset();
  schedule_ = mechanism.schedule;
  const auto even = [](Launches& l) { l.step(0); };
  const auto odd = [](Launches& l) { l.step(1); };
  switch (schedule_) {
    case Schedule::stream:
      return;
    case Schedule::copy:
      first_ = make_graph([](Launches& l) {
        l.step(0);
        l.copy_back();
      });
      break;
    case Schedule::two:
      first_ = make_graph(even);
      second_ = make_graph(odd);
      second_->instantiate();
      second_->upload();
      break;
    case Schedule::unrolled:
      first_ = make_graph(steps_from_zero(2));
      break;
    case Schedule::whole:
      first_ = make_graph([this](Launches& l) {
        steps_from_zero(steps_)(l);
        l.finish(int(steps_ % 2));
      });
      break;
    case Schedule::loop: {
      const std::int64_t body = mechanism.body_steps;
      // The next pass must find its input in the same field as this one.
      if (body < 2 || body % 2 != 0) throw std::logic_error("a repeated body needs an even number of steps");
      if (!make_loop) throw std::logic_error("graphs made this way cannot repeat a part of themselves");
      first_ = make_loop(steps_ / body, steps_from_zero(body), [this, body](Launches& l) {
        steps_from_zero(steps_ % body)(l);
        l.finish(int(steps_ % 2));
      });
      break;
    }
    case Schedule::update:
      // even_ and second_ only supply arguments; only first_ is launched.
      first_ = make_graph(even);
      second_ = make_graph(odd);
      even_ = make_graph(even);
      break;
  }
  first_->instantiate();
  first_->upload();
}

int StepSchedule::run(Launches& plain) {
  int result = int(steps_ % 2);
  switch (schedule_) {
    case Schedule::stream:
      for (std::int64_t s = 0; s < steps_; ++s) plain.step(int(s % 2));
      break;
    case Schedule::copy:
      for (std::int64_t s = 0; s < steps_; ++s) first_->launch();
      result = 0;
      break;
    case Schedule::two:
      for (std::int64_t s = 0; s < steps_; ++s) (s % 2 == 0 ? first_ : second_)->launch();
      break;
    case Schedule::unrolled:
      for (std::int64_t s = 0; s < steps_ / 2; ++s) first_->launch();
      if (steps_ % 2 == 1) plain.step(0);
      break;
    case Schedule::whole:
    case Schedule::loop:
      first_->launch();
      return result;
    case Schedule::update:
      for (std::int64_t s = 0; s < steps_; ++s) {
        first_->update_from(s % 2 == 0 ? *even_ : *second_);
        first_->launch();
      }
      break;
  }
  plain.finish(result);
  return result;
}

}  // namespace parity::diffusion
