// SPDX-License-Identifier: BSD-3-Clause
#include "launch/instrument.hpp"

#include <algorithm>
#include <utility>

namespace parity::launch {
namespace {

bool starts(Step step) { return step == Step::start || step == Step::launch; }

}  // namespace

std::vector<Run> runs_of(const Seen& seen) {
  std::vector<Run> runs;
  bool open = false;
  int over = 0;  // when the queue was idle before
  for (const CallSeen& c : seen.calls) {
    if (starts(c.step)) {
      if (!open) runs.emplace_back();
      open = true;
      runs.back().count += c.count;
      runs.back().calling += c.span.seconds();
    } else if (c.step == Step::synchronise) {
      if (open) {
        Run& r = runs.back();
        r.waiting = c.span.seconds();
        r.over = c.over - over;
        const int end = std::min(c.over, int(seen.events.size()));
        if (over < end) r.events.assign(seen.events.begin() + over, seen.events.begin() + end);
      }
      open = false;
      over = c.over;
    }
  }
  return runs;
}

double stage_seconds(const Seen& seen, Step step) {
  double seconds = 0;
  bool found = false;
  for (const CallSeen& c : seen.calls) {
    if (c.step == step) {
      found = true;
      seconds += c.span.seconds();
    } else if (found) {
      return c.step == Step::synchronise ? seconds + c.span.seconds() : not_seen;
    }
  }
  return not_seen;
}

double step_seconds(const Seen& seen, Step step) {
  double seconds = 0;
  bool found = false;
  for (const CallSeen& c : seen.calls) {
    if (c.step != step) continue;
    found = true;
    seconds += c.span.seconds();
  }
  return found ? seconds : not_seen;
}

Seen WatchedProbe::take() {
  return {std::exchange(calls_, {}), log_ ? log_->events() : std::vector<Span>(), std::exchange(holds_, 0)};
}

void WatchedProbe::around(Step step, int count, const Work& work, const std::function<void()>& call) {
  CallSeen seen;
  seen.step = step;
  seen.count = count;
  seen.work = work;
  seen.span.begin = second_clock();
  call();
  seen.span.end = second_clock();
  if (log_ && step == Step::synchronise) seen.over = log_->over();
  calls_.push_back(seen);
}

void DelayedProbe::around(Step step, int, const Work&, const std::function<void()>& call) {
  call();
  if (step == step_) wait_on_second_clock(seconds_);
}

}  // namespace parity::launch
