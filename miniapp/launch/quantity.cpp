// SPDX-License-Identifier: BSD-3-Clause
#include "launch/quantity.hpp"

#include <algorithm>

#include "runtime/device.hpp"
#include "runtime/hold.hpp"
#include "runtime/host_clock.hpp"

namespace parity::launch {
namespace {

double now() { return runtime::host_seconds(); }
double since(double start) { return now() - start; }
void pause(double seconds) {
  if (seconds <= 0) return;
  const double start = now();
  while (since(start) < seconds) {
  }
}

Work delay(const Setting& s, double seconds) {
  Work w;
  if (seconds <= 0) return w;
  w.kind = Kind::wait;
  w.extra_ticks = std::int64_t(seconds * s.ticks_per_second);
  return w;
}

Work wait_units(const Setting& s, int units, double extra) {
  Work w = delay(s, extra);
  w.kind = Kind::wait;
  w.units = units;
  w.unit_ticks = std::int64_t(1e-9 * s.problem.unit_ns * s.ticks_per_second);
  if (s.problem.unit == Unit::nanosleep) w.sleep_nanoseconds = unsigned(s.problem.unit_ns);
  return w;
}

/// From the first call to the host's noticing that all events are over; the host may pause in between.
double latency_of(Probe& probe, int count, const Work& work, double host_pause = 0) {
  probe.prepare(count, work);
  probe.synchronise();
  const double start = now();
  probe.start(count, work);
  pause(host_pause);
  probe.synchronise();
  return since(start);
}

/// What one more event adds.
double additional(Probe& probe, const Problem& p, const Work& work) {
  return (latency_of(probe, p.launches, work) - latency_of(probe, p.fewer(), work)) /
         (p.launches - p.fewer());
}

/// Equation 1 of Zhang, Wahib and Matsuoka, 'Understanding the Overheads of Launching CUDA Kernels'.
double null_overhead(Probe& probe, const Setting& s, double injected) {
  return additional(probe, s.problem, delay(s, injected));
}

/// Their equation 2: the same work, differently cut.
double fusion_overhead(Probe& probe, const Setting& s, double injected) {
  const int i = s.problem.launches, j = s.problem.units;
  return (latency_of(probe, i, wait_units(s, j, injected)) -
          latency_of(probe, j, wait_units(s, i, injected))) /
         (i - j);
}

/// The latency of one event of the units, less their own time: that is what as many units again add to it.
double total_with(Probe& probe, const Setting& s, double extra, double host_pause) {
  const int units = s.problem.units;
  return 2 * latency_of(probe, 1, wait_units(s, units, extra), host_pause) -
         latency_of(probe, 1, wait_units(s, 2 * units, extra), host_pause);
}
double total_overhead(Probe& probe, const Setting& s, double injected) {
  return total_with(probe, s, injected, 0);
}

/// Mean duration of the launching call, the queue being empty at first.
double dispatch(Probe& probe, const Setting& s, double injected) {
  const Work none;
  probe.synchronise();
  const double start = now();
  for (int k = 0; k < s.problem.launches; ++k) {
    probe.start(1, none);
    pause(injected);
  }
  const double seconds = since(start);
  probe.synchronise();
  return seconds / s.problem.launches;
}

/// Duration of the call that launches a graph of the problem's nodes.
double graph_dispatch(Probe& probe, const Setting& s, double injected) {
  const Work none;
  probe.prepare(s.problem.launches, none);
  probe.synchronise();
  const double start = now();
  probe.start(s.problem.launches, none);
  pause(injected);
  const double seconds = since(start);
  probe.synchronise();
  return seconds;
}

/// Their equation 3: what neither the launching call nor the execution overhead accounts for. The host
/// pausing for longer than the kernel runs is such a part.
double other_overhead(Probe& probe, const Setting& s, double injected) {
  return total_with(probe, s, 0, injected) - (dispatch(probe, s, 0) + fusion_overhead(probe, s, 0));
}

double throughput(Probe& probe, const Setting& s, double injected) {
  return latency_of(probe, s.problem.launches, delay(s, injected)) / s.problem.launches;
}

double latency(Probe& probe, const Setting& s, double injected) {
  return latency_of(probe, 1, delay(s, injected));
}

/// Launches of one graph after the other, each its nodes; the pause stands for a longer graph.
double graph_repeat(Probe& probe, const Setting& s, double injected) {
  const Work none;
  const auto latency_of_graphs = [&](int graphs) {
    probe.prepare(s.problem.launches, none);
    probe.synchronise();
    const double start = now();
    for (int g = 0; g < graphs; ++g) {
      probe.start(s.problem.launches, none);
      pause(injected);
    }
    probe.synchronise();
    return since(start);
  };
  return (latency_of_graphs(30) - latency_of_graphs(5)) / 25;
}

double graph_latency(Probe& probe, const Setting& s, double injected) {
  return latency_of(probe, s.problem.launches, Work(), injected);
}

/// The wait for an idle queue.
double synchronise(Probe& probe, const Setting&, double injected) {
  probe.synchronise();
  const double start = now();
  pause(injected);
  probe.synchronise();
  return since(start);
}

/// Seconds on the device's clock of 'count' events that were all in the queue before the first began.
double held_seconds(Probe& probe, int count, const Work& work) {
  probe.prepare(count, work);
  probe.synchronise();
  const auto clock = runtime::make_clock(probe.stream());
  runtime::Hold hold(probe.stream());
  clock->start();
  probe.start(count, work);
  clock->stop();
  hold.release();
  probe.synchronise();
  return clock->seconds();
}

double device_interval(Probe& probe, const Setting& s, double injected) {
  const Work work = delay(s, injected);
  const int longer = s.problem.launches, shorter = s.problem.fewer();
  return (held_seconds(probe, longer, work) - held_seconds(probe, shorter, work)) / (longer - shorter);
}

enum class Stage { create, instantiate, upload, first_launch };

/// One stage of a graph's life, each ended by an idle queue.
template <Stage stage>
double graph_stage(Probe& probe, const Setting& s, double injected) {
  std::unique_ptr<runtime::Graph> graph;
  double seconds = 0;
  const auto timed = [&](Stage of, const auto& work) {
    probe.synchronise();
    const double start = now();
    work();
    if (of == stage) pause(injected);
    probe.synchronise();
    if (of == stage) seconds = since(start);
  };
  timed(Stage::create, [&] { graph = probe.make_graph(s.problem.launches, Work()); });
  timed(Stage::instantiate, [&] { graph->instantiate(); });
  timed(Stage::upload, [&] { graph->upload(); });
  timed(Stage::first_launch, [&] { graph->launch(); });
  return seconds;
}

double copy(Probe& probe, const Setting& s, double injected) {
  Work work = s.work;
  work.extra_ticks = std::int64_t(injected * s.ticks_per_second);
  return additional(probe, s.problem, work);
}

/// The time of as many rounds again, so that the launch does not count.
double rate(Probe& probe, const Setting& s, double injected) {
  Work longer = s.work;
  longer.rounds *= 2;
  longer.extra_ticks = std::int64_t(injected * s.ticks_per_second);
  return latency_of(probe, 1, longer) - latency_of(probe, 1, s.work);
}

/// Longer than two kernels of the problem's units with a launch each.
double beyond_kernels(const Problem& p) { return 50e-6 + 3e-9 * p.units * double(p.unit_ns); }

/// Longer than a graph of the problem's nodes.
double beyond_graph(const Problem& p) { return 100e-6 + 6e-6 * p.launches; }
/// Short, because who waits longer at a host's barrier gives the processor away; a grid's barrier is a GPU's.
double at_barrier(const Problem&) { return 0.5e-6; }
double at_barrier_longer(const Problem& p) { return p.blocks > 1 ? 20e-6 : 2e-6; }
/// The stages of a graph take longer with its nodes, and vary by as much as a short delay.
double beyond_noise(const Problem& p) { return 400e-6 + 10e-6 * p.launches; }
double beyond_rate_noise(const Problem&) { return 200e-6; }

}  // namespace

const std::vector<Quantity>& quantities() {
  constexpr Role L = Role::launch, G = Role::graph, B = Role::barrier, F = Role::fork_join;
  constexpr Kind none = Kind::none;
  constexpr bool units = true, several = true;
  static const std::vector<Quantity> table = {
      {"null-overhead", "what one more launch of an empty kernel adds (equation 1)", {L, F}, null_overhead},
      {"fusion-overhead",
       "more launches of less work against fewer of more (equation 2)",
       {L, G, F},
       fusion_overhead,
       none,
       units},
      {"total-overhead",
       "latency of one launch that is not the kernel's own time",
       {L, F},
       total_overhead,
       none,
       units,
       !several},
      {"other-overhead",
       "total less dispatch less fusion overhead (equation 3)",
       {L},
       other_overhead,
       none,
       units,
       several,
       beyond_kernels},
      {"dispatch", "duration of the launching call on the host", {L}, dispatch, none, !units, !several},
      {"throughput",
       "launches back to back and one wait, a launch",
       {L, F},
       throughput,
       none,
       !units,
       !several},
      {"latency",
       "one launch of an empty kernel and the wait for it",
       {L, F},
       latency,
       none,
       !units,
       !several},
      {"synchronise", "the wait for an idle queue", {L}, synchronise, none, !units, !several},
      {"device-interval",
       "what one more launch adds on the device, the queue filled beforehand",
       {L},
       device_interval},
      {"node", "what one more node adds", {G}, null_overhead},
      {"graph-create",
       "making a graph of so many nodes",
       {G},
       graph_stage<Stage::create>,
       none,
       !units,
       !several,
       nullptr,
       beyond_noise},
      {"graph-instantiate",
       "making it executable",
       {G},
       graph_stage<Stage::instantiate>,
       none,
       !units,
       !several,
       nullptr,
       beyond_noise},
      {"graph-upload",
       "bringing it to the device",
       {G},
       graph_stage<Stage::upload>,
       none,
       !units,
       !several,
       beyond_graph,
       beyond_noise},
      {"graph-first-launch",
       "its first launch and the wait for it",
       {G},
       graph_stage<Stage::first_launch>,
       none,
       !units,
       !several,
       beyond_graph,
       beyond_noise},
      {"graph-dispatch",
       "duration of the call that launches it again",
       {G},
       graph_dispatch,
       none,
       !units,
       !several},
      {"graph-latency",
       "another launch and the wait for it",
       {G},
       graph_latency,
       none,
       !units,
       !several,
       beyond_graph},
      {"graph-repeat",
       "what one more launch of it adds, back to back",
       {G},
       graph_repeat,
       none,
       !units,
       !several,
       beyond_graph},
      {"barrier",
       "what one more pass of a barrier adds",
       {B},
       null_overhead,
       none,
       !units,
       several,
       at_barrier,
       at_barrier_longer},
      {"copy", "what one more kernel adds that copies so many bytes", {L, G, F}, copy, Kind::copy},
      {"multiply-add",
       "time of so many multiply-adds of all threads",
       {L, F},
       rate,
       Kind::multiply_adds,
       !units,
       !several,
       nullptr,
       beyond_rate_noise},
      {"exponential",
       "time of so many exponentials of all threads",
       {L, F},
       rate,
       Kind::exponentials,
       !units,
       !several,
       nullptr,
       beyond_rate_noise},
  };
  return table;
}

const Quantity* find_quantity(const std::string& name) {
  for (const Quantity& q : quantities())
    if (name == q.name) return &q;
  return nullptr;
}

bool has(const Entry& e, const Quantity& q) {
  return std::find(q.roles.begin(), q.roles.end(), e.role) != q.roles.end() &&
         (q.kind == Kind::none || e.kernels);
}

int rate_rounds(bool on_device) { return on_device ? 256 : 64; }

Problem with_blocks(const Problem& p) {
  Problem q = p;
  if (p.quantity == "copy") q.blocks = int((p.bytes / 16 + p.threads - 1) / p.threads);
  return q;
}

}  // namespace parity::launch
