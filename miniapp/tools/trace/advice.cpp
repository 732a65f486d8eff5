// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/text.hpp"
#include "tools/trace/trace.hpp"

namespace parity::analysis {
namespace {

using trace::Kind;

constexpr double worth_it = 0.05;        ///< of a step
constexpr double may_be_missing = 0.05;  ///< share of the device's records
/// Upper bound of the share that an attached but idle CUPTI adds to a step with graphs.
constexpr double attached_graph = 0.3;
// Seconds, for GPUs from P100 to H200. The intervals' widths reflect the model's uncertainty; 'parity advise
// --try' measures.
constexpr Figure node{0.6e-6, 0.05e-6, 2e-6};        ///< overhead of a kernel in a graph
constexpr Figure graph_call{3.5e-6, 0.5e-6, 10e-6};  ///< launch of a graph
constexpr Figure interval{1.8e-6, 0.1e-6, 5e-6};     ///< overhead of a kernel in a stream
constexpr Figure latency{5e-6, 0.5e-6, 15e-6};       ///< overhead of a wait
constexpr Figure null{0.6, 0, 1};  ///< share of the shortest kernel's recorded time that is overhead
constexpr double longest_null = 2e-6;

Figure operator+(const Figure& a, const Figure& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high};
}
Figure operator-(const Figure& a, const Figure& b) {
  return {a.value - b.value, a.low - b.high, a.high - b.low};
}
Figure operator*(double n, const Figure& f) { return {n * f.value, n * f.low, n * f.high}; }
Figure larger(const Figure& a, const Figure& b) {
  return {std::max(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high)};
}

/// Index of the first word that the kernel's name contains, ignoring case; the number of words if none.
std::size_t part_of(const Place& p, const std::vector<std::string>& apart) {
  const auto is_there = [name = runtime::lowered(p.name)](const std::string& word) {
    return name.find(runtime::lowered(word)) != std::string::npos;
  };
  return std::size_t(std::find_if(apart.begin(), apart.end(), is_there) - apart.begin());
}

bool is_loop(const Place& p) {
  return p.kind == Kind::loop || p.kind == Kind::reduction || p.kind == Kind::scan;
}

/// Without waits, the host and the device run a step concurrently.
Figure together(const Figure& host, const Figure& device, int waits) {
  const Figure beside = larger(host, device), after = host + device + waits * latency;
  return waits == 0 ? beside : Figure{after.value, beside.low, after.high};
}

void advise_on_device(StepAdvice& a, const std::vector<std::string>& apart) {
  double shortest = longest_null;
  for (const Place& p : a.step.places)
    if (p.kind == Kind::launch) shortest = std::min(shortest, p.device.value);
  Figure work, copying, on_chip, longest;  // longest: of a chain
  Figure between, own;                     // host time before graphs, before all items: may remain
  int launches = 0, chains = 0, waits = 0, groups = 0, nodes = 0;
  const Place* before = nullptr;
  bool in_group = false;
  for (const Place& p : a.step.places) {
    const bool launch = p.kind == Kind::launch, fuses = launch && before && may_fuse(*before, p, apart);
    before = &p;
    if (!fuses) on_chip = on_chip + longest;
    if (!fuses) longest = {};
    waits += p.waits();
    if (!launch) copying = copying + p.device;
    if (!in_group && !p.waits()) {
      ++groups;
      between.high += std::max(0.0, p.before.high);
    }
    own.high += std::max(0.0, p.before.high);
    nodes += !p.waits();
    in_group = !p.waits();
    if (!launch) continue;
    const Figure one = larger(p.device - shortest * null, {});
    ++launches;
    chains += !fuses;
    work = work + one;
    longest = larger(longest, one);
  }
  on_chip = on_chip + longest;
  // Each launch takes its share of the host's time: the whole step unless the device takes longer.
  const double now = a.now.value, busy = work.value + copying.value;
  const Figure each = (1.0 / launches) * Figure{waits > 0 ? std::max(0.0, now - busy) : now, 0, a.now.high};
  const auto add = [&](const char* name, const std::string& means, const Figure& step) {
    a.ways.push_back(
        way_of(name, means, {std::min(step.value, now), std::min(step.low, now), step.high}, a.now));
  };
  add("graph",
      waits == 0 ? "the step captured as a graph, one launch a step"
                 : "the launches between two waits captured as graphs",
      together(between + groups * graph_call, work + copying + nodes * node, waits));
  if (chains == launches) return;
  add("fused",
      fmt::format(
          "neighbours on a stream in one kernel, {} instead of {} launches; bytes that this saves are "
          "not counted",
          chains, launches),
      together(own + chains * each, work + copying + chains * interval, waits));
  add("fused on chip",
      "the same, and what one hands to the next stays on chip: as long as the longest of them",
      together(own + chains * each, on_chip + copying + chains * interval, waits));
}

/// A loop ends before its call returns. Removing one saves at most the time of the shortest loop.
void advise_on_host(StepAdvice& a) {
  int loops = 0, fusable = 0;
  double shortest = a.now.value;
  bool neighbour = false;
  for (const Place& p : a.step.places) {
    loops += is_loop(p);
    fusable += is_loop(p) && !neighbour;
    if (is_loop(p)) shortest = std::min(shortest, p.host.value);
    neighbour = p.kind == Kind::loop;  // the program may need a reduction's or scan's result first
  }
  if (fusable == loops) return;
  const double most = std::min((loops - fusable) * shortest, 0.9 * a.now.low);
  a.ways.push_back(
      way_of("fused",
             fmt::format("neighbouring loops in one: {} instead of {}; bytes that this saves are not counted",
                         fusable, loops),
             a.now - Figure{0.5 * most, 0, most}, a.now));
}

}  // namespace

bool may_fuse(const Place& a, const Place& b, const std::vector<std::string>& apart) {
  return a.kind == Kind::launch && b.kind == Kind::launch && a.stream == b.stream &&
         part_of(a, apart) == part_of(b, apart);
}

Way way_of(const std::string& name, const std::string& means, const Figure& step, const Figure& now) {
  const Figure saved = now - step;
  const double least = worth_it * now.value;
  return {name,  means,        step,
          saved, std::nullopt, saved.low > least ? "yes" : saved.high > least ? "perhaps" : "no"};
}

std::optional<std::string> why_no_advice(const Trace& trace, const Step& step) {
  if (!step.on_device) return std::nullopt;
  if (double(step.missing) > may_be_missing * double(step.expected))
    return fmt::format("{} of {} kernels and graphs of this step have no times in the trace", step.missing,
                       step.expected);
  if (trace.devices.size() > 1)
    return "the trace has several GPUs, and whose launches these are is not known";
  if (step.count(Kind::launch) > 0) return std::nullopt;
  return step.count(Kind::graph_launch) > 0 ? "its kernels are in graphs already" : "it launches no kernel";
}

std::vector<StepAdvice> advise(const Trace& trace, const AdviceOptions& options) {
  std::vector<StepAdvice> all;
  for (Step& step : steps_of(trace, options.least)) {
    StepAdvice a;
    a.step = std::move(step);
    a.pace = undisturbed_pace(trace, a.step);
    if (a.pace && a.pace->from == Pace::From::rest && a.step.count(Kind::graph_launch) > 0)
      a.pace->step.low *= 1 - attached_graph;
    if (options.step_seconds > 0 && all.empty()) {
      const double s = options.step_seconds;
      a.pace = Pace{Pace::From::user, {s, s, s}, 1, 1};
    }
    a.now = a.pace ? a.pace->step : a.step.wall;
    // Recording may have slowed the host to the recorded time.
    if (!a.pace && a.step.on_device)
      a.now.low = std::min(a.now.low, std::max(a.step.computing.low, a.step.copying.low));
    if (const auto why = why_no_advice(trace, a.step))
      a.refused = *why;
    else if (a.step.on_device)
      advise_on_device(a, options.apart);
    else
      advise_on_host(a);
    all.push_back(std::move(a));
  }
  return all;
}

}  // namespace parity::analysis
