// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/trace.hpp"

#include <algorithm>
#include <cmath>

namespace parity::analysis {
namespace {

using trace::Kind;

constexpr double least_of_window = 0.5;  ///< of a window's operations
constexpr double steps_of_part = 8;      ///< of a part
constexpr std::uint64_t launches_of_part = 128;
constexpr std::size_t least_parts = 3;
constexpr double enough_in_blocks = 0.3;  ///< of the launches, in parts that end with a wait

/// Launches and waits of a step as they are counted: of waits in a row the first, if a launch came before.
struct CountedStep {
  double launches = 0, waits = 0;
};
CountedStep counted_of(const Step& step) {
  CountedStep c;
  bool launched = true;  // the step before
  for (const Place& p : step.places) {
    const bool loop = p.kind == Kind::loop || p.kind == Kind::reduction || p.kind == Kind::scan;
    const bool launch = step.on_device ? p.kind == Kind::launch || p.kind == Kind::graph_launch : loop;
    const bool wait = step.on_device && p.waits();
    c.launches += launch;
    c.waits += wait && launched;
    launched = launch || (launched && !wait);
  }
  return c;
}

/// Whether a window in which launches were counted lies beside one that mostly recorded the step.
bool is_of_step(const Trace& trace, const Step& step, std::size_t window) {
  const auto part = [&](std::size_t of) {
    const auto number = std::count_if(trace.windows.begin(), trace.windows.begin() + std::ptrdiff_t(of),
                                      [](const Window& w) { return w.of == Window::Of::all; });
    const auto at = step.part_of_window.find(int(number));
    return at == step.part_of_window.end() ? 0 : at->second;
  };
  const auto all = [&](std::size_t k) { return trace.windows[k].of == Window::Of::all; };
  if (window + 1 < trace.windows.size() && all(window + 1)) return part(window + 1) >= least_of_window;
  for (std::size_t k = window; k-- > 0;)
    if (all(k)) return part(k) >= least_of_window;
  return false;
}

struct PaceParts {
  std::vector<double> seconds;  ///< a step
  double launches = 0;
};

/// From a launch to another one, some steps later.
void add_stretches(const Tally* begin, const Tally* end, const CountedStep& c, PaceParts& parts) {
  const auto least = std::max(double(launches_of_part), steps_of_part * c.launches);
  const Tally* from = nullptr;
  double waits = 0;
  for (const Tally* t = begin; t != end; ++t) {
    if (t->wait) {
      ++waits;
      if (c.waits == 0) from = nullptr;  // the device's queue is empty: the host may be faster than it
      continue;
    }
    if (!from) {
      from = t;
      waits = 0;
    }
    const double launches = double(t->launches - from->launches), steps = launches / c.launches;
    if (launches < least) continue;
    if (std::abs(waits - steps * c.waits) <= 1 + 0.25 * steps * c.waits) {
      parts.seconds.push_back((t->time - from->time) / steps);
      parts.launches += launches;
    }
    from = t;
    waits = 0;
  }
}

/// From the first launch after a wait to the end of the next wait. Launches of any such part: to 'all'.
void add_blocks(const Tally* begin, const Tally* end, const CountedStep& c, PaceParts& parts, double& all) {
  const Tally* from = nullptr;
  bool waited = false;
  for (const Tally* t = begin; t != end; ++t) {
    if (t != begin) all += double(t->launches - (t - 1)->launches);
    if (t->wait) {
      const double launches = from ? double(t->launches - from->launches) : 0;
      if (launches >= steps_of_part * c.launches) {
        parts.seconds.push_back((t->time - from->time) * c.launches / launches);
        parts.launches += launches;
      }
      from = nullptr;
      waited = true;
    } else if (waited) {
      from = t;
      waited = false;
    }
  }
}

}  // namespace

std::optional<Pace> undisturbed_pace(const Trace& trace, const Step& step) {
  const CountedStep c = counted_of(step);
  if (c.launches == 0) return std::nullopt;
  PaceParts stretches, blocks;
  double all = 0;
  const auto end = trace.tallies.data() + trace.tallies.size();
  for (const Tally* t = trace.tallies.data(); t != end;) {
    const Tally* const begin = t;
    while (t != end && t->thread == begin->thread && t->window == begin->window) ++t;
    if (begin->thread != step.thread || !is_of_step(trace, step, std::size_t(begin->window))) continue;
    add_stretches(begin, t, c, stretches);
    if (c.waits == 0) add_blocks(begin, t, c, blocks, all);
  }
  const bool to_the_end = blocks.seconds.size() >= least_parts && blocks.launches >= enough_in_blocks * all;
  const PaceParts& parts = to_the_end ? blocks : stretches;
  if (parts.seconds.size() < least_parts) return std::nullopt;
  const harness::Summary s = harness::summarise(parts.seconds);
  return Pace{
      {s.median, s.low, s.high}, parts.seconds.size(), std::size_t(parts.launches / c.launches), to_the_end};
}

}  // namespace parity::analysis
