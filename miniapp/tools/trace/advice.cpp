// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

using trace::Kind;

constexpr double worth_it = 0.05;  ///< of a step
/// Recording lengthens a step that the device bounds by less than this part of it.
constexpr double of_device = 0.03;
constexpr double may_be_missing = 0.05;  ///< of the device's records
/// Of the host's time: what a CUPTI adds that is attached and records no launch; and of a graph at most
/// (H200).
constexpr Figure attached{0.02, 0, 0.08};
constexpr double attached_graph = 0.3;
/// A kernel that follows another one has more to load than a queued null kernel: of the interval of those.
constexpr double unlike_null = 0.3;

/// What predictions are made of, of one step; seconds.
struct StepModel {
  std::vector<int> groups;  ///< kernels, copies and fills between two waits of the host, in order
  int kernels = 0;
  int fusable = 0;   ///< launches left if neighbours on a stream become one kernel each
  int launches = 0;  ///< calls that launch kernels
  bool has_copies = false;
  Figure work;         ///< of kernels beyond what a null kernel takes
  Figure on_chip;      ///< of the longest of each group that may become one kernel, together
  Figure copying;      ///< copies and fills on the device
  Figure rest;         ///< the host's own time: beyond that of as many null launches, and before other calls
  Figure between;      ///< the part of it before the first launch of each group: what a graph leaves
  Figure other_calls;  ///< the host in calls that copy and fill and do not wait
  Figure now;          ///< the step as it is, without what recording or counting added
  Figure launch;       ///< what launching a null kernel takes here
  int waits = 0;
};

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
Figure not_negative(const Figure& f) { return larger(f, {}); }

/// Host and device of a step that no wait holds together run beside each other. With waits the host's own
/// work may come before or after the device's, and each wait has the latency of one launch beyond its kernel.
/// own: what the host does beside calls.
Figure together(const StepModel& m, const FamilyCosts& f, const Figure& own, const Figure& calls,
                const Figure& device) {
  const Figure host = own + calls;
  const Figure beside = larger(host, device);
  if (m.waits == 0) return beside;
  const Figure latency = not_negative(f.latency - f.interval);
  const Figure after = own + device + double(m.waits) * latency;
  return {std::max(beside.value, after.value), beside.low,
          std::max(beside.high, (own + device + double(m.waits) * f.latency).high)};
}

/// What a host call that launches a graph takes at most: another one after it.
Figure graph_calls(const StepModel& m, const FamilyCosts& f) {
  Figure all;
  for (const int nodes : m.groups) {
    const Figure one = f.graph_repeat.at(1), whole = f.graph_repeat.at(nodes);
    all = all + Figure{std::min(one.value, whole.value), 0, whole.high};
  }
  return all;
}

Figure graph_nodes(const std::vector<int>& groups, const FamilyCosts& f) {
  Figure all;
  for (const int nodes : groups) all = all + f.graph_repeat.at(nodes);
  return all;
}

/// Work in the nodes of graphs that take 'null' with null kernels. That figure is the longer of host and
/// device: only what one more node of a long graph adds is the device's alone for sure.
Figure with_work(const Figure& null, double nodes, const StepModel& m, const FamilyCosts& f) {
  Figure node;
  if (f.graph_repeat.points().size() > 1) {
    const auto b = f.graph_repeat.points().rbegin(), a = std::next(b);
    node = not_negative((1 / (b->first - a->first)) * (b->second - a->second));
  }
  const Figure work = m.work + m.copying;
  return {null.value + work.value, std::max(null.low, nodes * node.low + work.low), null.high + work.high};
}

/// The step without recording, if the trace holds nothing but what was recorded: between what launching alone
/// takes and what was recorded.
Figure now_of(const Step& step, const StepModel& m, const FamilyCosts& f) {
  const Figure device = m.work + m.copying + double(m.kernels) * f.interval;
  const double most = step.wall.value, host = m.between.low + double(m.launches) * f.launch.low;
  const double least = std::min(most, std::max(host, m.waits > 0 ? m.work.low : device.low));
  const double middle = 0.5 * (least + most);
  return {m.waits > 0 ? middle : std::max(middle, std::min(most, device.value)), least, step.wall.high};
}

/// Which of the words is in the kernel's name, in large or small letters; as many as there are: none.
std::size_t part_of(const Place& p, const std::vector<std::string>& apart) {
  const auto is_there = [name = runtime::lowered(p.name)](const std::string& word) {
    return name.find(runtime::lowered(word)) != std::string::npos;
  };
  return std::size_t(std::find_if(apart.begin(), apart.end(), is_there) - apart.begin());
}

/// How long the step takes where nothing records it, and what this leaves of the host's and the device's own.
void take_pace(const Step& step, const FamilyCosts& figures, const std::optional<Pace>& of, StepModel& m) {
  m.now = of ? of->step : now_of(step, m, figures);
  const bool slowed = !of || step.wall.value > (1 + of_device) * m.now.value;  // by recording
  if (of && of->from == Pace::From::rest && slowed)  // if the step waits, a part of it is hidden
    m.now = m.now -
            (m.waits > 0 ? 0.5 : 1.0) * Figure{attached.value * m.now.value, 0, attached.high * m.now.low};
  // A launch takes no more than its part of the step, whatever it takes elsewhere.
  const Figure part_of_step = (1.0 / std::max(1, m.launches)) * m.now, &launch = figures.launch;
  m.launch = {std::min(launch.value, part_of_step.value), std::min(launch.low, part_of_step.value),
              std::min(launch.high, part_of_step.high)};
  if (m.waits > 0) return;
  if (!slowed) {
    // The device's pace: what is left of the step is its work, within what was recorded of it.
    const Figure work = m.now - double(m.kernels) * figures.interval - m.copying;
    m.work = {std::clamp(work.value, m.work.low, m.work.high), std::clamp(work.low, m.work.low, m.work.high),
              std::clamp(work.high, m.work.low, m.work.high)};
    return;
  }
  Figure rest = not_negative(m.now - double(m.launches) * m.launch - m.other_calls);
  // If only the recorded part is known, it is an end of what is not known.
  if (!of)
    rest = {std::min(rest.value, m.rest.value), std::min(rest.low, m.rest.low),
            std::max(rest.value, m.rest.high)};
  const double part = m.rest.value > 0 ? std::min(1.0, rest.value / m.rest.value) : 1;
  m.between = {part * m.between.value, part * m.between.low, m.between.high};
  m.rest = rest;
}

/// pace: the step where nothing of it is recorded. Kernels in whose names one of the words 'apart' is are
/// fused with one another alone.
StepModel model_of(const Step& step, const FamilyCosts& figures, const std::optional<Pace>& pace,
                   const std::vector<std::string>& apart) {
  StepModel m;
  double least_kernel = std::numeric_limits<double>::infinity();
  Figure kernels;
  std::vector<Figure> longest, first;  // of each group that may become one kernel; of each graph
  std::vector<double> usual;           // before a launch
  int group = 0;
  const Place* before = nullptr;
  for (const Place& p : step.places) {
    const Figure device = p.device, call = p.host, gap = p.before;
    // Of a launch what it takes beyond one of a null kernel, of other calls the time before them; less what
    // recording adds, which may be all of that.
    Figure own = not_negative(p.kind == Kind::launch ? gap + call - figures.launch : gap);
    own.low = std::min(own.low, not_negative(gap).low);
    m.rest = m.rest + own;
    if (group == 0) first.push_back(own);
    if (p.kind == Kind::launch) usual.push_back(own.value);
    if (p.kind == Kind::launch) {
      ++m.launches;
      ++m.kernels;
      ++group;
      kernels = kernels + device;
      least_kernel = std::min(least_kernel, p.device.value);
      if (!before || !may_fuse(*before, p, apart)) longest.emplace_back();
      longest.back() = larger(longest.back(), device);
      before = &p;
      continue;
    }
    before = nullptr;
    if (p.waits()) {
      ++m.waits;
      if (p.kind == Kind::copy_call) {
        m.has_copies = true;
        m.copying = m.copying + device;
      }
      if (group > 0) m.groups.push_back(group);
      group = 0;
    } else if (p.kind == Kind::copy_call || p.kind == Kind::set_call) {
      m.has_copies = true;
      m.copying = m.copying + device;
      m.other_calls = m.other_calls + call;
      ++group;
    }
  }
  if (group > 0) m.groups.push_back(group);
  // A graph takes over what every launch has before it, such as a library's work.
  const double each = usual.size() > 1 ? harness::median_of(usual) : 0;
  for (const Figure& own : first)
    m.between = m.between + Figure{std::max(0.0, own.value - each), usual.size() > 1 ? 0 : own.low, own.high};
  // At least nothing, at most a queued null kernel or the shortest one here.
  const double least = std::min(figures.interval.high, least_kernel);
  const Figure null{0.6 * least, -unlike_null * figures.interval.value, least};
  m.work = not_negative(kernels - double(m.kernels) * null);
  // Where the sequence was cut is by chance, unless it waits.
  if (!apart.empty() && longest.size() > 1 && m.waits == 0 &&
      may_fuse(step.places.back(), step.places.front(), apart)) {
    longest.front() = larger(longest.front(), longest.back());
    longest.pop_back();
  }
  m.fusable = int(longest.size());
  for (const Figure& one : longest) m.on_chip = m.on_chip + not_negative(one - null);
  take_pace(step, figures, pace, m);
  return m;
}

Figure graph_step(const StepModel& m, const FamilyCosts& f) {
  const double nodes = std::accumulate(m.groups.begin(), m.groups.end(), 0.0);
  return together(m, f, m.between, graph_calls(m, f), with_work(graph_nodes(m.groups, f), nodes, m, f));
}

Figure unrolled_step(const StepModel& m, const FamilyCosts& f, int steps) {
  const double nodes = std::accumulate(m.groups.begin(), m.groups.end(), 0.0);
  const Figure device = with_work((1.0 / steps) * f.graph_repeat.at(nodes * steps), nodes, m, f);
  // Between steps the host has nothing to do; what it did there may have to stay.
  return larger(device, {0, 0, m.between.high});
}

Figure dependent_step(const StepModel& m, const FamilyCosts& f) {
  return together(m, f, m.rest, m.other_calls + double(m.launches) * f.dependent,
                  m.work + m.copying + double(m.kernels) * f.dependent_interval);
}

/// The host's own work where so many launches are left: each takes what one takes in this program, such as
/// for its arguments. At least what comes before the first one.
Figure rest_of_fused(const StepModel& m) {
  const Figure each = (double(m.fusable) / std::max(1, m.launches)) * m.rest;
  return {std::max(m.between.value, each.value), m.between.low, std::max(m.between.high, each.high)};
}

Figure fused_step(const StepModel& m, const FamilyCosts& f) {
  // What the host did between launches that are one now may go with them.
  Figure rest = rest_of_fused(m);
  rest.high = std::max(rest.high, m.rest.high);
  return together(m, f, rest, m.other_calls + double(m.fusable) * m.launch,
                  m.work + m.copying + double(m.fusable) * f.interval);
}

Figure on_chip_step(const StepModel& m, const FamilyCosts& f) {
  const Figure work{m.on_chip.value, m.on_chip.low, m.work.high};
  return together(m, f, rest_of_fused(m), m.other_calls + double(m.fusable) * m.launch,
                  work + m.copying + double(m.fusable) * f.interval);
}

Figure persistent_step(const StepModel& m, const FamilyCosts& f) {
  return m.work + double(m.kernels) * f.barrier;
}

/// Null where the machines have none of the device. A host's trace has figures of its processor.
const LaunchFigures* own_figures(const std::vector<LaunchFigures>& machines, const std::string& device) {
  for (const LaunchFigures& f : machines)
    if (!device.empty() && plain_device_name(f.device) == plain_device_name(device)) return &f;
  return nullptr;
}

/// Of a program whose launches are Kokkos' what that launches with, where it was measured.
FamilyCosts figures_for(const Step& step, const LaunchFigures& machine) {
  if (!step.on_device) return machine.family.at("kokkos");
  FamilyCosts f = machine.family.at("cuda");
  std::size_t labelled = 0, launches = 0;
  for (const Place& p : step.places) {
    launches += p.kind == Kind::launch;
    labelled += p.kind == Kind::launch && p.labelled;
  }
  if (2 * labelled <= launches) return f;
  const FamilyCosts& kokkos = machine.family.at("kokkos");
  if (kokkos.launch.known()) f.launch = kokkos.launch;
  if (kokkos.interval.known()) f.interval = kokkos.interval;
  if (kokkos.latency.known()) f.latency = kokkos.latency;
  if (!kokkos.graph_repeat.empty()) f.graph_repeat = kokkos.graph_repeat;
  if (!kokkos.graph_setup.empty()) f.graph_setup = kokkos.graph_setup;
  return f;
}

void advise_on_device(StepAdvice& a, const FamilyCosts& f, const std::vector<std::string>& apart) {
  const StepModel m = model_of(a.step, f, a.pace, apart);
  a.now = m.now;
  if (!f.graph_repeat.empty()) {
    Way graph = way_of("graph",
                       m.groups.size() == 1 ? "the step captured as a graph, one launch a step"
                                            : "the launches between two waits captured as graphs",
                       graph_step(m, f), m.now);
    Figure setup;
    for (const int nodes : m.groups) setup = setup + f.graph_setup.at(nodes);
    if (setup.known()) graph.pays_after = repetitions(setup, graph.saved);
    a.ways.push_back(graph);
    const int nodes = std::accumulate(m.groups.begin(), m.groups.end(), 0);
    const int steps = nodes > 0 ? int(f.graph_repeat.points().rbegin()->first) / nodes : 0;
    if (steps >= 2 && m.waits == 0) {
      Way unrolled = way_of("unrolled graph", fmt::format("{} steps captured as one graph", steps),
                            unrolled_step(m, f, steps), m.now);
      if (const Figure s = f.graph_setup.at(double(nodes) * steps); s.known())
        unrolled.pays_after = repetitions(s, unrolled.saved);
      a.ways.push_back(unrolled);
    }
  }
  if (f.dependent.known() && f.dependent_interval.known() && m.kernels > 1)
    a.ways.push_back(way_of("dependent launches", "each kernel begins while the one before ends",
                            dependent_step(m, f), m.now));
  if (m.fusable < m.launches) {
    a.ways.push_back(
        way_of("fused",
               fmt::format("neighbours on a stream in one kernel, {} instead of {} launches; bytes "
                           "that this saves are not counted",
                           m.fusable, m.launches),
               fused_step(m, f), m.now));
    a.ways.push_back(
        way_of("fused on chip",
               "the same, and what one hands to the next stays on chip: as long as the longest of them",
               on_chip_step(m, f), m.now));
  }
  if (f.barrier.known() && m.waits == 0 && !m.has_copies && m.kernels > 0)
    a.ways.push_back(way_of("persistent", "one kernel for all steps, a barrier of the grid after each part",
                            persistent_step(m, f), m.now));
}

/// On a host every loop is over when its call returns: what one more loop costs is what fusing two saves.
void advise_on_host(StepAdvice& a, const FamilyCosts& f) {
  int loops = 0, fusable = 0;
  double all = 0, gone = 0;  // seconds of loops: recorded, and of those that fusing removes
  bool neighbour = false;
  for (const Place& p : a.step.places) {
    const bool loop = p.kind == Kind::loop || p.kind == Kind::reduction || p.kind == Kind::scan;
    loops += loop;
    fusable += loop && !neighbour;
    all += loop ? p.host.value : 0;
    gone += loop && neighbour ? p.host.value : 0;
    neighbour = p.kind == Kind::loop;  // the result of a reduction may be asked for
  }
  if (fusable == loops) return;
  // A loop that is gone saves no more than it took: launches may be slower where they were measured.
  const double most = gone / std::max(all, a.step.wall.value);
  const auto fused = [&](double now, double launch) {
    return now - std::min(double(loops - fusable) * launch, most * now);
  };
  a.ways.push_back(way_of(
      "fused",
      fmt::format("neighbouring loops in one: {} instead of {}; bytes that this saves are not counted",
                  fusable, loops),
      {fused(a.now.value, f.launch.value), fused(a.now.low, f.launch.high), fused(a.now.high, f.launch.low)},
      a.now));
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

Figure repetitions(const Figure& setup, const Figure& saved) {
  const double never = std::numeric_limits<double>::infinity();
  const auto over = [never](double s, double by) { return by > 0 ? s / by : never; };
  return {over(setup.value, saved.value), over(setup.low, saved.high), over(setup.high, saved.low)};
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

std::vector<StepAdvice> advise(const Trace& trace, const std::vector<LaunchFigures>& machines,
                               const AdviceOptions& options) {
  std::vector<StepAdvice> all;
  for (Step& step : steps_of(trace, options.least)) {
    StepAdvice a;
    a.step = std::move(step);
    const bool on_device = a.step.on_device;
    const std::string device = !on_device              ? trace.processor
                               : trace.devices.empty() ? std::string()
                                                       : trace.devices.front().name;
    const LaunchFigures* const own = own_figures(machines, device);
    const std::optional<FamilyCosts> f =
        own ? std::optional<FamilyCosts>(figures_for(a.step, *own)) : std::nullopt;
    a.pace = undisturbed_pace(trace, a.step);
    if (a.pace && a.pace->from == Pace::From::rest && a.step.count(Kind::graph_launch) > 0)
      a.pace->step.low *= 1 - attached_graph;
    if (options.step_seconds > 0 && all.empty()) {
      const double s = options.step_seconds;
      a.pace = Pace{Pace::From::user, {s, s, s}, 1, 1};
    }
    a.now = a.pace ? a.pace->step : a.step.wall;
    if (const auto why = why_no_advice(trace, a.step))
      a.refused = *why;
    else if (device.empty())
      a.refused = "the trace does not name its device";
    else if (!f)
      a.refused = fmt::format(
          "no launch figures of {}: run 'parity advise' there, or measure jobs/plans/launch_model.toml there "
          "and give its records with --machine",
          device);
    else if (!f->launch.known() || (on_device && (!f->interval.known() || !f->latency.known())))
      a.refused = fmt::format(
          "the launch figures of {} are not complete: measure all of jobs/plans/launch_model.toml", device);
    else if (on_device)
      advise_on_device(a, *f, options.apart);
    else
      advise_on_host(a, *f);
    all.push_back(std::move(a));
  }
  return all;
}

}  // namespace parity::analysis
