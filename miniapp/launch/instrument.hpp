// SPDX-License-Identifier: BSD-3-Clause
// What an instrument saw of one sample of a quantity: every call on a clock that does not time the quantity,
// and every event. Three of them say it in the same words, so that one formula a quantity serves all: the
// event log with watched calls, a tracer (CUPTI), and a bare loop without a probe.
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "launch/around.hpp"
#include "launch/logbook.hpp"

namespace parity::launch {

/// One call, on the second clock.
struct CallSeen {
  Step step = Step::start;
  int count = 0;  ///< events that it was asked to start, or to put into a graph
  Work work;      ///< of these events
  Span span;
  int over = 0;  ///< events of the sample that were over when it returned
};

struct Seen {
  std::vector<CallSeen> calls;
  std::vector<Span> events;  ///< on the clock of where they run; empty where nobody stamped
  int holds = 0;             ///< how often the queue was held, as far as calls of a probe show
};

/// What was started from one idle queue to the next.
struct Run {
  int count = 0;       ///< events asked for
  double calling = 0;  ///< seconds in these calls
  double waiting = 0;  ///< seconds in the call that waited
  int over = 0;        ///< events that were over when it returned, of this run
  std::vector<Span> events;
  /// The calls alone: whatever else a bracket holds is not part of the quantity.
  double seconds() const { return calling + waiting; }
  /// From the first event's beginning to the last one's end; of the calls where nobody stamped.
  double span() const { return events.empty() ? seconds() : events.back().end - events.front().begin; }
  /// What the calls take besides: before the first event, and after the last one.
  double outside() const { return seconds() - span(); }
};

std::vector<Run> runs_of(const Seen& seen);
/// What a formula makes of calls that an instrument did not see.
constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();
/// Seconds in the calls of one step of a graph's life and in the wait that follows; not_seen without such a
/// call.
double stage_seconds(const Seen& seen, Step step);
/// Seconds in the calls of one step alone; not_seen without such a call.
double step_seconds(const Seen& seen, Step step);

/// Hands calls on to a probe and writes them down.
class WatchedProbe : public AroundProbe {
 public:
  /// log: where the events stamp; null where they do not.
  WatchedProbe(Probe& inner, const Logbook* log) : AroundProbe(inner), log_(log) {}
  /// Everything since the last call of it.
  Seen take();
  std::unique_ptr<QueueHold> hold() override {
    ++holds_;
    return AroundProbe::hold();
  }

 protected:
  void around(Step step, int count, const Work& work, const std::function<void()>& call) override;

 private:
  const Logbook* log_;
  std::vector<CallSeen> calls_;
  int holds_ = 0;
};

/// Hands calls on to a probe and stays 'seconds' longer in those of one step, by the second clock.
class DelayedProbe : public AroundProbe {
 public:
  DelayedProbe(Probe& inner, Step step, double seconds)
      : AroundProbe(inner), step_(step), seconds_(seconds) {}

 protected:
  void around(Step step, int count, const Work& work, const std::function<void()>& call) override;

 private:
  Step step_;
  double seconds_;
};

/// Records of the calls of a GPU's runtime and of what ran on the GPU. Slows down what it records, so it is
/// off but for the samples that it looks at.
class Tracer {
 public:
  virtual ~Tracer() = default;
  virtual std::string name() const = 0;
  /// Turns it on. Throws runtime::CannotRunError where another profiler or the driver does not let it.
  virtual void start() = 0;
  /// What happened since, kernels that only hold a queue left out: 'count' of a call is the number of kernels
  /// that it started.
  virtual Seen take() = 0;
  /// Drops what happened since, without reading it, once it is over.
  virtual void forget() = 0;
  /// Turns it off.
  virtual void stop() = 0;
  /// Seconds that each recorded call takes longer outside of its record.
  virtual double call_cost() const = 0;
};

/// CUPTI, or null with the reason.
std::unique_ptr<Tracer> make_tracer(std::string* why_not);

}  // namespace parity::launch
