// SPDX-License-Identifier: BSD-3-Clause
#include "harness/measure.hpp"

#include <fmt/format.h>

#include <limits>

#include "harness/energy.hpp"
#include "harness/environment.hpp"
#include "runtime/clock.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/messages.hpp"
#include "runtime/signals.hpp"
#include "runtime/text.hpp"

namespace parity::harness {
namespace {

using runtime::MemoryNeed;

/// 90 % of the free memory of host and GPU (the rest is for allocators and work space) on the rank with the
/// least, minus 'data' bytes on the host.
MemoryNeed free_memory(double data) {
  const MemoryNeed here = runtime::free_memory_here();
  const double host = runtime::smallest(here.host);
  return {0.9 * host - data, 0.9 * runtime::smallest(here.device)};
}

/// Runs work on a trial. If a rank throws CannotRunError, the trial drops out on all ranks.
template <class Work>
void unless_refused(Running& r, const Work& work) {
  try {
    work();
  } catch (const runtime::CannotRunError& error) {
    r.refused = error.what();
  }
  if (runtime::largest(r.refused.empty() ? 0 : 1) > 0 && r.refused.empty()) r.refused = "another rank cannot";
}

void take(Running& c, bool timed) {
  if (!c.refused.empty()) return;
  unless_refused(c, [&] {
    if (!timed) return c.trial->warm_up();
    const double start = runtime::host_seconds();
    const double preempted = runtime::preemptions();
    const Sample s = c.trial->sample();
    c.row.preemptions.back().push_back(runtime::preemptions() - preempted);
    c.seconds += runtime::host_seconds_since(start);
    c.row.host_seconds.back().push_back(s.host);
    if (s.device < 0) return;
    if (c.row.device_seconds.empty()) c.row.device_seconds.emplace_back();
    c.row.device_seconds.back().push_back(s.device);
  });
}

bool done(Running& c, const RunOptions& o) {
  if (!c.refused.empty()) return true;
  const int taken = int(c.row.host_seconds.back().size());
  const bool late = runtime::broadcast(taken >= o.least_in_process() && c.seconds > o.time_cap_in_process());
  c.row.stop = taken >= o.repeats_in_process() ? "repeats" : late ? "time cap" : "";
  return !c.row.stop.empty();
}

/// A skipped result of this process, with a reason of one line.
SkippedRow skipped_row(const Task& task, const Choice& c, const RunOptions& options,
                       const std::string& reason) {
  constexpr std::size_t longest = 1000;
  SkippedRow s{blank_row(task, c), runtime::shown(reason, longest)};
  s.row.run = this_environment().run;
  s.row.processes = {options.process};
  return s;
}

/// Trials that share memory and rounds; run() checks and times them, then frees their memory.
class Batch {
 public:
  Batch(const Task& task, const RunOptions& options, const Note& note,
        const std::function<void(const Measurement&)>& on_row, Measured& measured)
      : task_(task), options_(options), note_(note), on_row_(on_row), measured_(measured) {}

  bool fits(const MemoryNeed& need, const MemoryNeed& free) const {
    return runtime::broadcast(used_.host + need.host <= free.host &&
                              used_.device + need.device <= free.device);
  }
  void add(Running running, const MemoryNeed& need) {
    running_.push_back(std::move(running));
    used_.host += need.host;
    used_.device += need.device;
  }
  void run() {
    std::vector<Running*> right;  // excludes wrong ones, which are not timed
    for (Running& r : running_) {
      if (note_) note_("check " + r.row.name());
      unless_refused(r, [&] {
        r.row.verdict = r.trial->start(r.row);
        if (runtime::broadcast(r.row.verdict.passed())) return right.push_back(&r);
        // Rank 0 failed, so all ranks fail: a record that passed must hold times, on every rank.
        if (r.row.verdict.passed()) r.row.verdict.error = std::numeric_limits<double>::infinity();
        hand_over(r);
      });
    }
    run_rounds(right, options_, note_);
    if (options_.energy)
      for (Running* r : right)
        if (r->refused.empty()) unless_refused(*r, [&] { count_joules(*r); });
    for (Running* r : right) {
      if (!r->refused.empty()) continue;
      if (note_) note_("check " + r->row.name());
      unless_refused(*r, [&] {
        finish(*r);
        hand_over(*r);
      });
    }
    for (Running& r : running_) {
      if (!r.refused.empty()) {
        measured_.skipped.push_back(skipped_row(task_, *r.choice, options_, r.refused));
        continue;
      }
      measured_.rows.push_back(std::move(r.row));
    }
    running_.clear();
    used_ = {};
  }

 private:
  /// Called as soon as a result is final, because later work may be interrupted.
  void hand_over(Running& r) {
    if (!r.row.verdict.passed()) r.row.metrics.clear();
    if (on_row_) on_row_(r.row);
  }
  void count_joules(Running& r) {
    if (note_) note_("energy " + r.row.name());
    Energy e;
    if (r.trial->run_again())
      e = options_.energy->measure(task_.need(*r.choice).device > 0, [&r] { r.trial->run_again(); });
    else
      e.refused = "its runs cannot be repeated by themselves";
    e.process = options_.process;
    r.row.energy = {std::move(e)};
    r.trial->warm_up();  // the last check needs a run on the input
  }
  void finish(Running& r) {
    r.row.verdict = r.trial->finish(r.row);
    if (!r.row.verdict.passed()) {
      r.row.host_seconds.clear(), r.row.preemptions.clear();
      r.row.device_seconds.clear();
      r.row.energy.clear();
      return;
    }
    std::vector<Metric> metrics = task_.metrics(*r.choice, r.row);
    metrics.insert(metrics.end(), r.row.metrics.begin(), r.row.metrics.end());
    for (const Energy& e : r.row.energy)
      if (e.known()) {
        const Portion portion = task_.portion();
        metrics.push_back({portion.name + "_energy", e.joules / portion.parts, "J", Better::lower});
        metrics.push_back(
            {portion.name + "_energy_above_idle", e.above_idle() / portion.parts, "J", Better::lower});
      }
    r.row.metrics = std::move(metrics);
  }

  const Task& task_;
  const RunOptions& options_;
  const Note& note_;
  const std::function<void(const Measurement&)>& on_row_;
  Measured& measured_;
  std::vector<Running> running_;
  MemoryNeed used_;
};

}  // namespace

void run_rounds(const std::vector<Running*>& all, const RunOptions& o, const Note& note) {
  const auto announce = [&note](const std::string& what) {
    runtime::stop_if_interrupted();
    if (note) note(what);
  };
  for (Running* c : all) {
    c->row.host_seconds.assign(1, {}), c->row.preemptions.assign(1, {});
    for (int w = 1; w < o.warmup; ++w) {
      announce("warm-up " + c->row.name());
      take(*c, false);
    }
  }
  bool more = !all.empty();
  for (std::size_t round = 0; more; ++round) {
    more = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      Running& c = *all[(k + round) % all.size()];
      if (done(c, o)) continue;
      announce(c.row.name());
      take(c, true);
      more = true;
    }
  }
}

std::optional<std::string> Task::why_not(const Choice& c) const {
  if (std::string why = c.entry->why_unavailable(); !why.empty()) return why;
  if (runtime::several_ranks() && !knows_ranks())
    return "its problems are one process's: start it without mpirun or srun";
  return refuse(c);
}

Measurement blank_row(const Task& task, const Choice& c) {
  Measurement row;
  row.study = task.study();
  row.variant = c.variant();
  row.kernel = c.entry->name;
  row.mechanism = c.mechanism == 0 ? "stream" : c.mechanism_name;
  row.tuning = to_string(c.tuning);
  row.tuning_axes = c.entry->tuning_axes;
  row.twin = c.entry->twin;
  row.family = c.entry->family;
  row.floor = c.entry->floor;
  row.tier = c.entry->tier;
  row.problem = task.values();
  return row;
}

void require_memory(const Task& task, const std::vector<Choice>& choices) {
  const double data = task.data_bytes();
  const MemoryNeed free = free_memory(data);
  for (const Choice& c : choices) {
    if (task.why_not(c)) continue;
    const MemoryNeed need = task.need(c);
    const bool on_host = need.host > free.host || free.host < 0;
    if (!runtime::broadcast(on_host || need.device > free.device)) continue;
    throw runtime::UsageError(
        fmt::format("{} on {} needs {} of {} memory and {} are free: {}", c.name(), task.text(),
                    runtime::bytes_text(on_host ? need.host + data : need.device), on_host ? "host" : "GPU",
                    runtime::bytes_text(on_host ? free.host + data : free.device), task.memory_fix()));
  }
}

Measured measure(const Task& task, const std::vector<Choice>& choices, const RunOptions& options,
                 const Note& note, const std::function<void(const Measurement&)>& on_row) {
  Measured measured;
  std::vector<Choice> runnable;
  for (const Choice& c : choices) {
    const auto reason = task.why_not(c);
    if (runtime::broadcast(reason.has_value()))
      measured.skipped.push_back(skipped_row(task, c, options, reason.value_or("")));
    else
      runnable.push_back(c);
  }
  require_memory(task, runnable);
  if (runnable.empty()) return measured;
  const RunIdentity identity = this_environment().run;
  const MemoryNeed free = free_memory(task.data_bytes());
  std::vector<std::unique_ptr<Trial>> trials;
  runtime::collective_or_throw([&] { trials = task.trials(runnable, note); });
  Batch batch(task, options, note, on_row, measured);
  for (std::size_t k = 0; k < runnable.size(); ++k) {
    Running running{&runnable[k], std::move(trials.at(k)), blank_row(task, runnable[k])};
    running.row.run = identity;
    running.row.processes = {options.process};
    running.row.process_names = {process_name()};
    running.row.model = task.model(runnable[k]);
    const MemoryNeed need = task.need(runnable[k]);
    if (!batch.fits(need, free)) batch.run();
    batch.add(std::move(running), need);
  }
  batch.run();
  return measured;
}

}  // namespace parity::harness
