// SPDX-License-Identifier: BSD-3-Clause
#include "launch/quantity.hpp"

#include <algorithm>

#include "runtime/clock.hpp"
#include "runtime/hold.hpp"

namespace parity::launch {
namespace {

using runtime::host_seconds;
using runtime::host_seconds_since;

/// An empty event, except for the wait and count that the checks need.
Work event(const Setting& s) {
  Work w;
  w.count = s.work.count;
  w.extra_ticks = std::int64_t(s.event_delay * s.ticks_per_second);
  if (w.count || w.extra_ticks > 0) w.kind = Kind::wait;
  return w;
}

Work event_of_units(const Setting& s, int units) {
  Work w = event(s);
  w.kind = Kind::wait;
  w.units = units;
  w.unit_ticks = std::int64_t(1e-9 * s.problem.unit_ns * s.ticks_per_second);
  if (s.problem.unit == Unit::nanosleep) w.sleep_nanoseconds = unsigned(s.problem.unit_ns);
  return w;
}

/// Seconds from the first call until the host notices that all events have ended. calling: the part spent in
/// launching calls.
double latency_of(Probe& probe, int count, const Work& work, double* calling = nullptr) {
  probe.prepare(count, work);
  probe.synchronise();
  const double start = host_seconds();
  probe.start(count, work);
  if (calling) *calling = host_seconds_since(start);
  probe.synchronise();
  return host_seconds_since(start);
}

double additional(Probe& probe, const Problem& p, const Work& work) {
  return (latency_of(probe, p.launches, work) - latency_of(probe, p.fewer(), work)) /
         (p.launches - p.fewer());
}

/// Equation 1 of Zhang, Wahib and Matsuoka, 'Understanding the Overheads of Launching CUDA Kernels'.
double null_overhead(Probe& probe, const Setting& s) { return additional(probe, s.problem, event(s)); }

/// Their equation 2: the same work, divided differently.
double fusion_overhead(Probe& probe, const Setting& s) {
  const int i = s.problem.launches, j = s.problem.units;
  return (latency_of(probe, i, event_of_units(s, j)) - latency_of(probe, j, event_of_units(s, i))) / (i - j);
}

/// A run before the measured ones. If two runs of one event are compared, the first must not follow other
/// work while the second follows the first: after a longer wait a launching call takes microseconds more.
void accustom(Probe& probe, const Work& work) { latency_of(probe, 1, work); }

/// The latency of one event of the units, less their own time: what twice as many units add.
double total_of(Probe& probe, const Setting& s, double* calling = nullptr) {
  const Work work = event_of_units(s, s.problem.units);
  accustom(probe, work);
  const double latency = latency_of(probe, 1, work, calling);
  return 2 * latency - latency_of(probe, 1, event_of_units(s, 2 * s.problem.units));
}
double total_overhead(Probe& probe, const Setting& s) { return total_of(probe, s); }

/// Their equation 3, all three terms from launches of the same work: the part of the total that neither the
/// launching call nor the execution overhead explains.
double other_overhead(Probe& probe, const Setting& s) {
  double call = 0;
  const double total = total_of(probe, s, &call), execution = fusion_overhead(probe, s);
  return total - call - execution;
}

/// Mean duration of the launching call; the queue is empty at first.
double dispatch(Probe& probe, const Setting& s) {
  const Work work = event(s);
  probe.prepare(1, work);
  probe.synchronise();
  const double start = host_seconds();
  for (int k = 0; k < s.problem.launches; ++k) probe.start(1, work);
  const double seconds = host_seconds_since(start);
  probe.synchronise();
  return seconds / s.problem.launches;
}

double graph_dispatch(Probe& probe, const Setting& s) {
  double calling = 0;
  latency_of(probe, s.problem.launches, event(s), &calling);
  return calling;
}

double throughput(Probe& probe, const Setting& s) {
  return latency_of(probe, s.problem.launches, event(s)) / s.problem.launches;
}

double latency(Probe& probe, const Setting& s) { return latency_of(probe, 1, event(s)); }

constexpr int many_graphs = 30, few_graphs = 5;

/// Launches of one graph in sequence; each runs the graph's nodes.
double graph_repeat(Probe& probe, const Setting& s) {
  const Work work = event(s);
  const auto latency_of_graphs = [&](int graphs) {
    probe.prepare(s.problem.launches, work);
    probe.synchronise();
    const double start = host_seconds();
    for (int g = 0; g < graphs; ++g) probe.start(s.problem.launches, work);
    probe.synchronise();
    return host_seconds_since(start);
  };
  return (latency_of_graphs(many_graphs) - latency_of_graphs(few_graphs)) / (many_graphs - few_graphs);
}

double graph_latency(Probe& probe, const Setting& s) {
  return latency_of(probe, s.problem.launches, event(s));
}

double synchronise(Probe& probe, const Setting&) {
  probe.synchronise();
  const double start = host_seconds();
  probe.synchronise();
  return host_seconds_since(start);
}

/// Seconds on the device's clock of 'count' events that were all queued before the first one began.
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

double device_interval(Probe& probe, const Setting& s) {
  const Work work = event(s);
  const int longer = s.problem.launches, shorter = s.problem.fewer();
  return (held_seconds(probe, longer, work) - held_seconds(probe, shorter, work)) / (longer - shorter);
}

/// One stage of a graph's life; each stage ends with an idle queue.
template <Step stage>
double graph_stage(Probe& probe, const Setting& s) {
  std::unique_ptr<runtime::Graph> graph;
  double seconds = 0;
  const auto timed = [&](Step of, const auto& work) {
    probe.synchronise();
    const double start = host_seconds();
    work();
    probe.synchronise();
    if (of == stage) seconds = host_seconds_since(start);
  };
  timed(Step::create, [&] { graph = probe.make_graph(s.problem.launches, event(s)); });
  timed(Step::instantiate, [&] { graph->instantiate(); });
  timed(Step::upload, [&] { graph->upload(); });
  timed(Step::launch, [&] { graph->launch(); });
  return seconds;
}

/// Calls that replace a graph's arguments by those of another graph, all at once or node by node. Times this
/// step only, since the next launch waits for the new arguments. The new arguments do the events' work, the
/// old ones do nothing.
template <Step step>
double graph_update(Probe& probe, const Setting& s) {
  Work after = event(s);
  after.kind = Kind::wait;
  after.unit_ticks = 1;  // without units: an argument that differs
  Work before;
  before.kind = Kind::wait;
  const int n = s.problem.launches;
  const auto graph = probe.make_graph(n, before), other = probe.make_graph(n, after);
  graph->instantiate();
  graph->upload();
  probe.synchronise();
  const double start = host_seconds();
  if (step == Step::update)
    graph->update_from(*other);
  else
    for (int k = 0; k < n; ++k) graph->update_node_from(*other, k);
  const double seconds = host_seconds_since(start);
  graph->launch();
  probe.synchronise();
  return step == Step::update ? seconds : seconds / n;
}

double copy(Probe& probe, const Setting& s) {
  Work work = s.work;
  work.extra_ticks = std::int64_t(s.event_delay * s.ticks_per_second);
  return additional(probe, s.problem, work);
}

// Numbers of events that a sample runs.
int both_runs(const Problem& p) { return p.launches + p.fewer(); }
int both_cuts(const Problem& p) { return p.launches + p.units; }
int all_launches(const Problem& p) { return p.launches; }
int no_event(const Problem&) { return 0; }
int one(const Problem&) { return 1; }
int three(const Problem&) { return 3; }
int three_and_both_cuts(const Problem& p) { return 3 + both_cuts(p); }
int all_graphs(const Problem& p) { return (many_graphs + few_graphs) * p.launches; }

/// Longer than a graph of the problem's nodes takes.
double beyond_graph(const Problem& p) { return 100e-6 + 6e-6 * p.launches; }
/// Short, because threads that wait longer at a host's barrier yield the processor; a grid's is on a GPU.
double at_barrier(const Problem&) { return 0.5e-6; }
double at_barrier_longer(const Problem& p) { return p.blocks > 1 ? 20e-6 : 2e-6; }
/// The stages of a graph take longer with more nodes, and vary by as much as a short delay.
double beyond_noise(const Problem& p) { return 400e-6 + 10e-6 * p.launches; }

/// Flags of a quantity besides its name, roles and method.
enum : unsigned { plain = 0, with_units = 1, single = 2, updating = 4 };

Quantity row(const char* name, const char* summary, std::vector<Role> roles, Method method,
             unsigned flags = plain, Kind kind = Kind::none) {
  Quantity q;
  q.name = name, q.summary = summary;
  q.roles = std::move(roles);
  q.method = method;
  q.kind = kind;
  q.units = flags & with_units;
  q.several = !(flags & single);
  q.updates = flags & updating;
  return q;
}
Quantity delayed_by(Quantity q, double (*delay)(const Problem&), double (*difference)(const Problem&)) {
  q.delay = delay;
  q.difference = difference;
  return q;
}
template <Step step>
Method stage() {
  return {graph_stage<step>, all_launches, step};
}
template <Step step>
Method update() {
  return {graph_update<step>, all_launches, step};
}

}  // namespace

const std::vector<Quantity>& quantities() {
  constexpr Role L = Role::launch, G = Role::graph, B = Role::barrier, F = Role::fork_join;
  constexpr double (*usual)(const Problem&) = nullptr;
  static const Method additional_method = {null_overhead, both_runs};
  static const std::vector<Quantity> table = {
      row("null-overhead", "what one more launch of an empty kernel adds (equation 1)", {L, F},
          additional_method),
      row("fusion-overhead", "more launches of less work against fewer of more (equation 2)", {L, G, F},
          {fusion_overhead, both_cuts}, with_units),
      row("total-overhead", "latency of one launch that is not the kernel's own time", {L, F},
          {total_overhead, three}, with_units | single),
      row("other-overhead",
          "total less launching call less fusion overhead, of the same launches (equation 3)", {L},
          {other_overhead, three_and_both_cuts, Step::synchronise}, with_units),
      row("dispatch", "duration of the launching call on the host", {L},
          {dispatch, all_launches, Step::start}, single),
      row("throughput", "launches back to back and one wait, a launch", {L, F}, {throughput, all_launches},
          single),
      row("latency", "one launch of an empty kernel and the wait for it", {L, F}, {latency, one}, single),
      row("synchronise", "the wait for an idle queue", {L}, {synchronise, no_event, Step::synchronise},
          single),
      row("device-interval", "what one more launch adds on the device, the queue filled beforehand", {L},
          {device_interval, both_runs}),
      row("node", "what one more node adds", {G}, additional_method),
      delayed_by(row("graph-create", "making a graph of so many nodes", {G}, stage<Step::create>(), single),
                 usual, beyond_noise),
      delayed_by(row("graph-instantiate", "making it executable", {G}, stage<Step::instantiate>(), single),
                 usual, beyond_noise),
      delayed_by(row("graph-upload", "bringing it to the device", {G}, stage<Step::upload>(), single),
                 beyond_graph, beyond_noise),
      delayed_by(row("graph-first-launch", "its first launch and the wait for it", {G}, stage<Step::launch>(),
                     single),
                 beyond_graph, beyond_noise),
      row("graph-dispatch", "duration of the call that launches it again", {G},
          {graph_dispatch, all_launches, Step::start}, single),
      row("graph-latency", "another launch and the wait for it", {G},
          {graph_latency, all_launches, Step::synchronise}, single),
      delayed_by(row("graph-repeat", "what one more launch of it adds, back to back", {G},
                     {graph_repeat, all_graphs, Step::start}, single),
                 beyond_graph, usual),
      delayed_by(row("graph-update", "replacing all its arguments at once, without a new instantiation", {G},
                     update<Step::update>(), single | updating),
                 usual, beyond_noise),
      row("graph-update-node", "replacing one node's arguments, of all nodes one by one", {G},
          update<Step::update_node>(), single | updating),
      delayed_by(row("barrier", "what one more pass of a barrier adds", {B}, additional_method), at_barrier,
                 at_barrier_longer),
      row("copy", "what one more kernel adds that copies so many bytes", {L, G, F}, {copy, both_runs}, plain,
          Kind::copy),
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

Problem few_events(const Quantity& q, Problem p) {
  // A pass of a barrier is so short that a few are too noisy.
  p.launches = std::min(p.launches, q.roles.front() == Role::barrier ? 40 : 20);
  if (q.units && p.launches == p.units) ++p.launches;  // the formula divides by their difference
  return p;
}

Problem with_blocks(const Problem& p) {
  Problem q = p;
  if (p.quantity == "copy") q.blocks = int((p.bytes / 16 + p.threads - 1) / p.threads);
  return q;
}

}  // namespace parity::launch
