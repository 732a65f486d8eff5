// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/trace/try.hpp"

namespace parity::replay {
namespace {

using analysis::Place;
using analysis::Step;
using trace::Kind;

constexpr double longest_step = 0.05;  ///< seconds: in longer steps the launch overhead is negligible
constexpr double most_bytes = 256 << 20;
constexpr unsigned most_threads = 1024, usual_threads = 256, usual_blocks = 132;
constexpr double shortest_kernel = 0.9e-6;  ///< seconds of an empty kernel according to a recorder
constexpr std::size_t most_nodes = 1024;    ///< in a graph of several steps
constexpr std::size_t least_repetitions = 6;

/// The median host time before a launch, which a graph removes.
double usual_gap(const Skeleton& items) {
  std::vector<double> gaps;
  for (const Item& item : items)
    if (item.action == Action::kernel) gaps.push_back(item.gap);
  return gaps.size() > 1 ? harness::median_of(gaps) : 0;
}

/// The host's time before a graph is its first launch's excess over the usual gap.
Skeleton in_graphs(Skeleton items) {
  const double usual = usual_gap(items);
  bool first = true;
  for (Item& item : items) {
    if (item.waits)
      item.stream = 0;  // the graphs' stream
    else
      item.gap = first ? std::max(0.0, item.gap - usual) : 0;
    first = item.waits;
  }
  return items;
}

/// Replaces each chain by one kernel that spins as long as all of them or, on chip, as the longest.
Skeleton fused(const Skeleton& items, bool on_chip) {
  Skeleton all;
  std::vector<std::size_t> now(items.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!items[k].fuses) {
      all.push_back(items[k]);
    } else {
      Item& one = all.back();
      one.seconds = on_chip ? std::max(one.seconds, items[k].seconds) : one.seconds + items[k].seconds;
      one.blocks = std::max(one.blocks, items[k].blocks);
      one.threads = std::max(one.threads, items[k].threads);
      one.after.insert(one.after.end(), items[k].after.begin(), items[k].after.end());
    }
    now[k] = all.size() - 1;
  }
  for (Item& item : all)
    for (std::size_t& other : item.after) other = now[other];
  return all;
}

}  // namespace

std::optional<std::string> why_not(const analysis::Trace& trace, const Step& step) {
  if (!step.on_device) return "it has loops of a host, and what is replayed are launches on a GPU";
  if (auto why = analysis::why_no_advice(trace, step)) return why;
  if (step.count(Kind::graph_launch) > 0) return "some of its kernels are in graphs already";
  if (step.wall.value > longest_step)
    return fmt::format(
        "a step takes {:.3g} s, and {} s is the most: of such a step launches are no part that "
        "counts; give --least-operations for another sequence",
        step.wall.value, longest_step);
  for (const Place& p : step.places)
    if (p.bytes > most_bytes)
      return fmt::format("it copies or fills {:.3g} bytes at once: 256 MiB is the most", p.bytes);
  return std::nullopt;
}

Skeleton skeleton_of(const Step& step, const std::vector<std::string>& apart) {
  Skeleton items;
  std::map<std::uint32_t, int> streams;
  double shortest = shortest_kernel;
  for (const Place& p : step.places)
    if (p.kind == Kind::launch) shortest = std::min(shortest, p.device.value);
  for (const Place& p : step.places) {
    Item item;
    const bool copies = p.kind == Kind::copy_call, fills = p.kind == Kind::set_call;
    item.action = p.kind == Kind::launch ? Action::kernel
                  : copies               ? Action::copy
                  : fills                ? Action::fill
                                         : Action::wait;
    item.gap = std::max(0.0, p.before.value);
    item.waits = p.waits();
    if (item.action != Action::wait)
      item.stream = streams.emplace(p.stream, int(streams.size())).first->second;
    if (item.action == Action::kernel) {
      item.seconds = std::max(0.0, p.device.value - shortest);
      item.blocks = p.blocks > 0 ? p.blocks : usual_blocks;
      item.threads = p.threads > 0 ? std::min(p.threads, most_threads) : usual_threads;
      item.fuses = !items.empty() && analysis::may_fuse(step.places[items.size() - 1], p, apart);
    }
    item.bytes = copies || fills ? std::int64_t(p.bytes) : 0;
    if (p.copy.find("HtoD") != std::string::npos) item.direction = Direction::to_device;
    if (p.copy.find("DtoH") != std::string::npos) item.direction = Direction::from_device;
    item.pageable = p.copy.find("ageable") != std::string::npos;
    item.after = p.after;
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<Plan> plans_of(const Skeleton& recorded) {
  std::vector<Plan> plans;
  const auto waits = [](const Item& item) { return item.waits; };
  const bool whole = std::none_of(recorded.begin(), recorded.end(), waits);
  plans.push_back({"as recorded", "kernels that spin, in the recorded streams", recorded});
  Plan graph{"graph",
             whole ? "the step captured as a graph, one launch a step"
                   : "the launches between two waits captured as graphs",
             in_graphs(recorded), true};
  plans.push_back(graph);
  double all = 0;
  for (const Item& item : recorded) all += item.gap + item.seconds;
  // A graph of at most the longest accepted step's duration, so that a try ends in time.
  if (const std::size_t steps = std::min(
          {std::size_t(16), most_nodes / recorded.size(), std::size_t(longest_step / std::max(1e-6, all))});
      whole && steps >= 2) {
    graph.name = "unrolled graph";
    graph.means =
        fmt::format("{} steps captured as one graph; the host has nothing to do between them", steps);
    graph.steps = int(steps);
    graph.skeleton.front().gap = 0;
    plans.push_back(graph);
  }
  const auto kernels = [](const Skeleton& items) {
    return std::count_if(items.begin(), items.end(),
                         [](const Item& i) { return i.action == Action::kernel; });
  };
  if (kernels(recorded) > 1)
    plans.push_back(
        {"dependent launches", "each kernel begins while the one before ends", recorded, false, true});
  if (const Skeleton one = fused(recorded, false); one.size() < recorded.size()) {
    plans.push_back(
        {"fused",
         fmt::format("neighbours on a stream in one kernel, {} instead of {} launches; bytes that "
                     "this saves are not counted",
                     kernels(one), kernels(recorded)),
         one});
    plans.push_back({"fused on chip",
                     "the same, and what one hands to the next stays on chip: as long as the longest of them",
                     fused(recorded, true)});
  }
  return plans;
}

std::optional<double> adjust(Skeleton& skeleton, const Step& step, const analysis::Trace& replayed) {
  std::map<std::uint32_t, const analysis::TracedEvent*> kernels;
  for (const analysis::TracedEvent& e : replayed.events)
    if (e.kind == Kind::kernel && e.timed && replayed.name(e).find(kernel_name) != std::string::npos)
      kernels[e.correlation] = &e;
  std::vector<std::size_t> places;  // of kernels
  for (std::size_t k = 0; k < skeleton.size(); ++k)
    if (skeleton[k].action == Action::kernel) places.push_back(k);
  std::vector<std::vector<double>> host(places.size()), device(places.size());
  std::vector<double> walls, device_walls;  // a step takes the longer period of the two
  const analysis::TracedEvent* before = nullptr;
  double first = 0, first_kernel = 0;
  std::size_t n = 0;
  for (const analysis::TracedEvent& e : replayed.events) {
    if (!e.timed || !e.is_call()) continue;
    if (const auto at = kernels.find(e.correlation); e.kind == Kind::launch && at != kernels.end()) {
      const std::size_t place = n++ % places.size();
      device[place].push_back(at->second->seconds);
      if (before) host[place].push_back(e.end() - before->end());
      if (place == 0) {
        if (n > 1) walls.push_back(e.begin - first), device_walls.push_back(at->second->begin - first_kernel);
        first = e.begin, first_kernel = at->second->begin;
      }
    }
    before = &e;
  }
  if (n < least_repetitions * places.size()) return std::nullopt;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place& p = step.places[places[k]];
    Item& item = skeleton[places[k]];
    item.seconds = std::max(0.0, item.seconds + p.device.value - harness::median_of(device[k]));
    item.gap = std::max(0.0, item.gap + p.before.value + p.host.value - harness::median_of(host[k]));
  }
  return std::max(harness::median_of(walls), harness::median_of(device_walls));
}

double shorten_gaps(Skeleton& skeleton, double seconds) {
  double all = 0;
  for (const Item& item : skeleton) all += item.gap;
  const double part = all > 0 ? std::clamp(seconds / all, 0.0, 1.0) : 0;
  for (Item& item : skeleton) item.gap *= 1 - part;
  return part;
}

}  // namespace parity::replay
