// SPDX-License-Identifier: BSD-3-Clause
#include "launch/quantity.hpp"

#include <algorithm>
#include <cstdlib>

#include "runtime/host_clock.hpp"

namespace parity::launch {
namespace {

using runtime::host_seconds;
using runtime::host_seconds_since;

/// An event that does nothing but what the checks want of it.
Work event(const Setting& s) {
  Work w;
  w.log = s.work.log;
  w.extra_ticks = std::int64_t(s.event_delay * s.ticks_per_second);
  if (w.log || w.extra_ticks > 0) w.kind = Kind::wait;
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

/// From the first call to the host's noticing that all events are over. calling: the part of it in which
/// they were launched.
double latency_of(Probe& probe, int count, const Work& work, double* calling = nullptr) {
  probe.prepare(count, work);
  probe.synchronise();
  const double start = host_seconds();
  probe.start(count, work);
  if (calling) *calling = host_seconds_since(start);
  probe.synchronise();
  return host_seconds_since(start);
}

/// What one more event adds.
double additional(Probe& probe, const Problem& p, const Work& work) {
  return (latency_of(probe, p.launches, work) - latency_of(probe, p.fewer(), work)) /
         (p.launches - p.fewer());
}

/// Equation 1 of Zhang, Wahib and Matsuoka, 'Understanding the Overheads of Launching CUDA Kernels'.
double null_overhead(Probe& probe, const Setting& s) { return additional(probe, s.problem, event(s)); }

/// Their equation 2: the same work, differently cut.
double fusion_overhead(Probe& probe, const Setting& s) {
  const int i = s.problem.launches, j = s.problem.units;
  return (latency_of(probe, i, event_of_units(s, j)) - latency_of(probe, j, event_of_units(s, i))) / (i - j);
}

/// A run before those that count. Where two runs of one event are told from each other the first must not
/// follow other work while the second follows the first: after a longer wait a launching call takes
/// microseconds more.
void accustom(Probe& probe, const Work& work) { latency_of(probe, 1, work); }

/// The latency of one event of the units, less their own time: that is what as many units again add to it.
double total_of(Probe& probe, const Setting& s, double* calling = nullptr) {
  const Work work = event_of_units(s, s.problem.units);
  accustom(probe, work);
  const double latency = latency_of(probe, 1, work, calling);
  return 2 * latency - latency_of(probe, 1, event_of_units(s, 2 * s.problem.units));
}
double total_overhead(Probe& probe, const Setting& s) { return total_of(probe, s); }

/// Their equation 3, all three terms of launches of the same work: what neither the launching call nor the
/// execution overhead accounts for.
double other_overhead(Probe& probe, const Setting& s) {
  double call = 0;
  const double total = total_of(probe, s, &call), execution = fusion_overhead(probe, s);
  if (s.parts) {
    s.parts->total.push_back(total);
    s.parts->call.push_back(call);
    s.parts->execution.push_back(execution);
  }
  return total - call - execution;
}

/// Mean duration of the launching call, the queue being empty at first.
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

/// Duration of the call that launches a graph of the problem's nodes.
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

/// Launches of one graph after the other, each its nodes.
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

/// The wait for an idle queue.
double synchronise(Probe& probe, const Setting&) {
  probe.synchronise();
  const double start = host_seconds();
  probe.synchronise();
  return host_seconds_since(start);
}

/// Seconds on the device's clock of 'count' events that were all in the queue before the first began.
double held_seconds(Probe& probe, int count, const Work& work) {
  probe.prepare(count, work);
  probe.synchronise();
  const auto clock = probe.make_clock();
  const auto hold = probe.hold();
  clock->start();
  probe.start(count, work);
  clock->stop();
  hold->release();
  probe.synchronise();
  return clock->seconds();
}

double device_interval(Probe& probe, const Setting& s) {
  const Work work = event(s);
  const int longer = s.problem.launches, shorter = s.problem.fewer();
  return (held_seconds(probe, longer, work) - held_seconds(probe, shorter, work)) / (longer - shorter);
}

/// One stage of a graph's life, each ended by an idle queue.
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

/// Calls that replace the arguments in a graph by those of another one, all at once or node by node; of that
/// step alone, since the next launch is what waits for them. The new arguments do the events' work, and the
/// old ones nothing.
template <Step step>
double graph_update(Probe& probe, const Setting& s) {
  Work after = event(s);
  after.kind = Kind::wait;
  after.unit_ticks = 1;  // of no unit: an argument that differs
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

/// The time of as many rounds again, so that the launch does not count.
double rate(Probe& probe, const Setting& s) {
  Work longer = s.work;
  longer.rounds *= 2;
  longer.extra_ticks = std::int64_t(s.event_delay * s.ticks_per_second);
  accustom(probe, s.work);
  const double more = latency_of(probe, 1, longer);
  return more - latency_of(probe, 1, s.work);
}

// What a sample asks for, and what an instrument that saw its runs R1, R2, ... expects the quantity to be.
// 'span' is from the first event's beginning to the last one's end, 'calls' the duration of the calls that
// launch and wait.
using Runs = std::vector<Run>;

std::vector<int> longer_and_shorter(const Problem& p) { return {p.launches, p.fewer()}; }
std::vector<int> both_cuts(const Problem& p) { return {p.launches, p.units}; }
std::vector<int> all_at_once(const Problem& p) { return {p.launches}; }
std::vector<int> one(const Problem&) { return {1}; }
std::vector<int> two_after_one(const Problem&) { return {1, 1, 1}; }
std::vector<int> two_after_one_and_both_cuts(const Problem& p) { return {1, 1, 1, p.launches, p.units}; }
std::vector<int> none(const Problem&) { return {}; }
std::vector<int> graphs(const Problem& p) { return {many_graphs * p.launches, few_graphs * p.launches}; }

double slope(const Run& longer, const Run& shorter, int difference) {
  return (longer.span() - shorter.span()) / difference;
}
double additional_seen(const Runs& r, const Seen&, const Problem& p) {
  return slope(r[0], r[1], p.launches - p.fewer());
}
double fusion_seen(const Runs& r, const Seen&, const Problem& p) {
  return slope(r[0], r[1], p.launches - p.units);
}
double total_seen(const Runs& r, const Seen&, const Problem&) {
  return r[1].seconds() - (r[2].span() - r[1].span());
}
double other_seen(const Runs& r, const Seen& seen, const Problem& p) {
  return total_seen(r, seen, p) - r[1].calling - slope(r[3], r[4], p.launches - p.units);
}
double second_uneven(const Runs& r) { return r[1].outside() - r[2].outside(); }
double calling_seen(const Runs& r, const Seen&, const Problem& p) { return r[0].calling / p.launches; }
double graph_calling_seen(const Runs& r, const Seen&, const Problem&) { return r[0].calling; }
double throughput_seen(const Runs& r, const Seen&, const Problem& p) { return r[0].seconds() / p.launches; }
double latency_seen(const Runs& r, const Seen&, const Problem&) { return r[0].seconds(); }
double repeat_seen(const Runs& r, const Seen&, const Problem&) {
  return slope(r[0], r[1], many_graphs - few_graphs);
}
double waiting_seen(const Runs&, const Seen& seen, const Problem&) {
  return seen.calls.size() == 2 ? seen.calls.back().span.seconds() : not_seen;
}
template <Step stage>
double stage_seen(const Runs&, const Seen& seen, const Problem&) {
  return stage_seconds(seen, stage);
}
double update_seen(const Runs&, const Seen& seen, const Problem&) { return step_seconds(seen, Step::update); }
double node_update_seen(const Runs&, const Seen& seen, const Problem& p) {
  return step_seconds(seen, Step::update_node) / p.launches;
}
double rate_seen(const Runs& r, const Seen&, const Problem&) { return r[1].span() - r[2].span(); }

double by_difference(const Problem& p) { return p.launches - p.fewer(); }
double by_difference_of_cuts(const Problem& p) { return std::abs(p.launches - p.units); }
double by_launches(const Problem& p) { return p.launches; }
double by_graphs(const Problem&) { return many_graphs - few_graphs; }
double by_one(const Problem&) { return 1; }

constexpr std::nullopt_t events = std::nullopt;

const Method additional_method = {null_overhead,
                                  events,
                                  longer_and_shorter,
                                  "(span of R1's n events - span of R2's m) / (n - m)",
                                  additional_seen,
                                  by_difference,
                                  4};
const Method fusion_method = {fusion_overhead,
                              events,
                              both_cuts,
                              "(span of R1's i events of j units - span of R2's j of i) / (i - j)",
                              fusion_seen,
                              by_difference_of_cuts,
                              4};
const Method total_method = {total_overhead,
                             events,
                             two_after_one,
                             "calls of R2 - (span of R3's event of 2u units - span of R2's of u)",
                             total_seen,
                             by_one,
                             4,
                             /*held=*/false,
                             second_uneven};
const Method other_method = {other_overhead,
                             Step::synchronise,
                             two_after_one_and_both_cuts,
                             "total by R2 and R3 - launching call of R2 - fusion by R4 and R5",
                             other_seen,
                             by_one,
                             8,
                             /*held=*/false,
                             second_uneven};
const Method dispatch_method = {dispatch,     Step::start, all_at_once, "launching calls of R1 / n",
                                calling_seen, by_launches};
const Method throughput_method = {throughput,        events,          all_at_once,
                                  "calls of R1 / n", throughput_seen, by_launches};
const Method latency_method = {latency, events, one, "calls of R1", latency_seen, by_one};
const Method synchronise_method = {
    synchronise, Step::synchronise, none, "the second of two waits", waiting_seen, by_one};
const Method interval_method = {device_interval,
                                events,
                                longer_and_shorter,
                                "(span of R1's n events - span of R2's m) / (n - m), the queue held",
                                additional_seen,
                                by_difference,
                                4,
                                /*held=*/true};
const Method graph_dispatch_method = {graph_dispatch,         Step::start,        all_at_once,
                                      "launching call of R1", graph_calling_seen, by_one};
const Method graph_latency_method = {graph_latency, Step::synchronise, all_at_once,
                                     "calls of R1", latency_seen,      by_one};
const Method graph_repeat_method = {
    graph_repeat, Step::start, graphs, "(span of R1's 30 graphs - span of R2's 5) / 25",
    repeat_seen,  by_graphs,   4};
const Method update_method = {graph_update<Step::update>, Step::update, all_at_once,
                              "the call that updates",    update_seen,  by_one};
const Method node_update_method = {graph_update<Step::update_node>,         Step::update_node, all_at_once,
                                   "calls that set a node's arguments / n", node_update_seen,  by_launches};
const Method copy_method = {copy,
                            events,
                            longer_and_shorter,
                            "(span of R1's n copies - span of R2's m) / (n - m)",
                            additional_seen,
                            by_difference,
                            4};
const Method rate_method = {rate,
                            events,
                            two_after_one,
                            "span of R2's event of 2r rounds - span of R3's of r",
                            rate_seen,
                            by_one,
                            4,
                            /*held=*/false,
                            second_uneven};
template <Step stage>
Method stage_method(const char* formula) {
  return {graph_stage<stage>, stage, all_at_once, formula, stage_seen<stage>, by_one};
}

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
  constexpr Role L = Role::launch, G = Role::graph, B = Role::barrier, F = Role::fork_join, M = Role::message;
  constexpr Kind none = Kind::none;
  constexpr bool units = true, several = true, updates = true;
  static const std::vector<Quantity> table = {
      {"null-overhead",
       "what one more launch of an empty kernel adds (equation 1)",
       {L, F},
       additional_method},
      {"fusion-overhead",
       "more launches of less work against fewer of more (equation 2)",
       {L, G, F},
       fusion_method,
       none,
       units},
      {"total-overhead",
       "latency of one launch that is not the kernel's own time",
       {L, F},
       total_method,
       none,
       units,
       !several},
      {"other-overhead",
       "total less launching call less fusion overhead, of the same launches (equation 3)",
       {L},
       other_method,
       none,
       units},
      {"dispatch",
       "duration of the launching call on the host",
       {L},
       dispatch_method,
       none,
       !units,
       !several},
      {"throughput",
       "launches back to back and one wait, a launch",
       {L, F},
       throughput_method,
       none,
       !units,
       !several},
      {"latency",
       "one launch of an empty kernel and the wait for it",
       {L, F},
       latency_method,
       none,
       !units,
       !several},
      {"synchronise", "the wait for an idle queue", {L}, synchronise_method, none, !units, !several},
      {"device-interval",
       "what one more launch adds on the device, the queue filled beforehand",
       {L},
       interval_method},
      {"node", "what one more node adds", {G}, additional_method},
      {"graph-create",
       "making a graph of so many nodes",
       {G},
       stage_method<Step::create>("calls that make the graph, and the wait"),
       none,
       !units,
       !several,
       nullptr,
       beyond_noise},
      {"graph-instantiate",
       "making it executable",
       {G},
       stage_method<Step::instantiate>("the call that instantiates, and the wait"),
       none,
       !units,
       !several,
       nullptr,
       beyond_noise},
      {"graph-upload",
       "bringing it to the device",
       {G},
       stage_method<Step::upload>("the call that uploads, and the wait"),
       none,
       !units,
       !several,
       beyond_graph,
       beyond_noise},
      {"graph-first-launch",
       "its first launch and the wait for it",
       {G},
       stage_method<Step::launch>("the call that launches first, and the wait"),
       none,
       !units,
       !several,
       beyond_graph,
       beyond_noise},
      {"graph-dispatch",
       "duration of the call that launches it again",
       {G},
       graph_dispatch_method,
       none,
       !units,
       !several},
      {"graph-latency",
       "another launch and the wait for it",
       {G},
       graph_latency_method,
       none,
       !units,
       !several},
      {"graph-repeat",
       "what one more launch of it adds, back to back",
       {G},
       graph_repeat_method,
       none,
       !units,
       !several,
       beyond_graph},
      {"graph-update",
       "replacing all its arguments at once, without a new instantiation",
       {G},
       update_method,
       none,
       !units,
       !several,
       nullptr,
       beyond_noise,
       updates},
      {"graph-update-node",
       "replacing one node's arguments, of all nodes one by one",
       {G},
       node_update_method,
       none,
       !units,
       !several,
       nullptr,
       nullptr,
       updates},
      {"barrier",
       "what one more pass of a barrier adds",
       {B},
       additional_method,
       none,
       !units,
       several,
       at_barrier,
       at_barrier_longer},
      {"copy", "what one more kernel adds that copies so many bytes", {L, G, F}, copy_method, Kind::copy},
      {"multiply-add",
       "time of so many multiply-adds of all threads",
       {L, F},
       rate_method,
       Kind::multiply_adds,
       !units,
       !several,
       nullptr,
       beyond_rate_noise},
      {"exponential",
       "time of so many exponentials of all threads",
       {L, F},
       rate_method,
       Kind::exponentials,
       !units,
       !several,
       nullptr,
       beyond_rate_noise},
      {"round-trip", "a message of so many bytes to another rank, and its answer", {M}, additional_method},
      {"neighbours",
       "messages of so many bytes to and from the ranks on both sides in a ring, all at once",
       {M},
       additional_method},
      {"allreduce", "sums of so many bytes of values of all ranks, on all ranks", {M}, additional_method},
      {"rank-barrier", "a barrier of all ranks", {M}, additional_method},
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
