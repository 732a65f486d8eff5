// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

using Json = nlohmann::json;
using runtime::UsageError;

constexpr std::size_t most_names = 10'000'000;

/// A line's fields, or an error that names the line.
struct Line {
  const Json& json;
  const std::string& where;
  [[noreturn]] void fail(const char* field) const {
    throw UsageError(fmt::format("{}: '{}' is not what a trace holds there", where, field));
  }
  std::int64_t whole(const char* field, std::int64_t otherwise) const {
    const auto at = json.find(field);
    if (at == json.end() || at->is_null()) return otherwise;
    if (!at->is_number_integer()) fail(field);
    return at->get<std::int64_t>();
  }
  double number(const char* field) const {
    const auto at = json.find(field);
    if (at == json.end() || at->is_null()) return 0;
    if (!at->is_number()) fail(field);
    return at->get<double>();
  }
  std::string text(const char* field) const {
    const auto at = json.find(field);
    if (at == json.end() || at->is_null()) return "";
    if (!at->is_string()) fail(field);
    return at->get<std::string>();
  }
};

struct Reading {
  Trace trace;
  /// A call in another one, that one, and how many windows had begun above its line.
  struct Inner {
    std::uint32_t call, outer;
    std::size_t windows;
  };
  std::vector<Inner> inner;
  bool over = false;  ///< what follows are the recorder's own launches
};

Trace begun(const Line& line) {
  if (line.whole("parity_trace", 0) != 1)
    throw UsageError(fmt::format("{}: a trace of another version of parity", line.where));
  Trace t;
  if (const auto words = line.json.find("arguments"); words != line.json.end() && words->is_array())
    for (const Json& word : *words)
      if (word.is_string()) t.program += (t.program.empty() ? "" : " ") + word.get<std::string>();
  t.host = line.text("host");
  t.processor = line.text("processor");
  t.names = {"(no name)"};
  t.seconds_an_event = line.number("seconds_an_event");
  if (t.seconds_an_event <= 0) t.doubts.push_back("what recording costs could not be measured");
  return t;
}

void add_event(Reading& r, const Line& line, const std::string& word) {
  const auto at = std::find(std::begin(trace::words_of_kinds), std::end(trace::words_of_kinds), word);
  if (at == std::end(trace::words_of_kinds)) return;  // of a newer parity
  TracedEvent e;
  e.kind = trace::Kind(at - std::begin(trace::words_of_kinds));
  e.correlation = std::uint32_t(line.whole("c", 0));
  if (e.kind == trace::Kind::inner) {
    r.inner.push_back({e.correlation, std::uint32_t(line.whole("of", 0)), r.trace.windows.size()});
    return;
  }
  if (e.kind == trace::Kind::tally) {
    Tally tally;
    tally.time = 1e-9 * double(line.whole("t", 0));
    tally.launches = std::uint64_t(line.whole("k", 0));
    tally.thread = int(line.whole("th", 0));
    tally.wait = line.whole("wait", 0) != 0;
    r.trace.tallies.push_back(tally);
    return;
  }
  const std::int64_t name = line.whole("n", 0);
  if (name < 0 || std::size_t(name) >= r.trace.names.size()) line.fail("n");
  e.name = std::uint32_t(name);
  e.timed = line.json.contains("t") && !line.json["t"].is_null();
  e.begin = 1e-9 * double(line.whole("t", 0));
  e.seconds = 1e-9 * double(std::max<std::int64_t>(0, line.whole("d", 0)));
  e.bytes = std::uint64_t(line.whole("b", 0));
  e.stream = std::uint32_t(line.whole("s", 0));
  e.thread = int(line.whole("th", 0));
  e.device = int(line.whole("g", 0));
  e.depth = int(line.whole("in", 0));
  e.window = int(r.trace.windows.size());  // until all windows are known
  r.trace.events.push_back(e);
}

void add_window(Trace& t, const Line& line) {
  const std::string word = line.text("window");
  Window window;
  window.of = word == "all" ? Window::Of::all : word == "counts" ? Window::Of::counts : Window::Of::none;
  window.begin = 1e-9 * double(line.whole("t", 0));
  window.end = std::numeric_limits<double>::infinity();
  if (!t.windows.empty()) t.windows.back().end = window.begin;
  t.windows.push_back(window);
}

void add_line(Reading& r, const Line& line) {
  Trace& t = r.trace;
  if (line.json.contains("e")) {
    if (r.over) return;
    add_event(r, line, line.text("e"));
  } else if (line.json.contains("name")) {
    const std::int64_t number = line.whole("n", -1);
    if (number < 0 || std::size_t(number) > most_names) line.fail("n");
    if (std::size_t(number) >= t.names.size()) t.names.resize(std::size_t(number) + 1);
    t.names[std::size_t(number)] = line.text("name");
  } else if (const auto own = line.json.find("own_launches"); own != line.json.end()) {
    r.over = true;
    if (!own->is_object()) return;
    const Line launches{*own, line.where};
    t.launch_recorded = launches.number("recorded");
    t.launch_alone = launches.number("alone");
    t.launch_counted = launches.number("counted");
  } else if (line.json.contains("window")) {
    add_window(t, line);
  } else if (const auto device = line.json.find("device"); device != line.json.end() && device->is_object()) {
    const Line its{*device, line.where};
    const TracedDevice found{int(its.whole("index", 0)), its.text("name")};
    // CUPTI tells it again each time that it is attached.
    if (std::none_of(t.devices.begin(), t.devices.end(),
                     [&found](const TracedDevice& d) { return d.index == found.index; }))
      t.devices.push_back(found);
  } else if (line.json.contains("interface")) {
    if (const std::string refused = line.text("refused"); !refused.empty())
      t.doubts.push_back(line.text("interface") + ": " + refused);
  } else if (line.json.contains("signal")) {
    const std::string in = line.text("in");
    t.doubts.push_back(line.text("signal") + " ended the program" +
                       (in.empty() ? "" : ", in " + in + " at " + line.text("at")));
  } else if (line.json.contains("end")) {
    t.ended = true;
    t.lost = std::uint64_t(line.whole("lost", 0));
    t.open = std::uint64_t(line.whole("open", 0));
  } else if (line.json.contains("lost")) {
    t.lost = std::uint64_t(line.whole("lost", 0));
  }
}

/// CUPTI numbers calls anew when it is attached again: each window's become numbers of their own. It is
/// attached with the window before one in which everything is recorded. What a window's device was late with
/// has ended before that.
void number_calls(Reading& r) {
  // For each window but the first in which everything was recorded.
  std::vector<std::size_t> attached;
  std::vector<double> times;
  bool first = true;
  for (std::size_t k = 0; k < r.trace.windows.size(); ++k)
    if (r.trace.windows[k].of == Window::Of::all && !std::exchange(first, false)) {
      attached.push_back(k - 1);
      times.push_back(r.trace.windows[k - 1].begin);
    }
  const auto window_at = [&times](double time) {
    return int(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  };
  const auto window_below = [&attached](std::size_t windows) {
    return int(std::lower_bound(attached.begin(), attached.end(), windows) - attached.begin());
  };
  using Number = std::pair<int, std::uint32_t>;
  std::map<Number, std::uint32_t> outer, numbers;
  for (const Reading::Inner& i : r.inner) outer[{window_below(i.windows), i.call}] = i.outer;
  for (TracedEvent& e : r.trace.events) {
    e.window = e.timed ? window_at(e.begin) : window_below(std::size_t(e.window));
    if (e.correlation == 0) continue;
    Number number{e.window, e.correlation};
    if (const auto at = outer.find(number); e.on_device() && at != outer.end()) number.second = at->second;
    e.correlation = attached.empty()
                        ? number.second
                        : numbers.emplace(number, std::uint32_t(numbers.size()) + 1).first->second;
  }
}

/// Those of windows in which launches were counted, from where that was in full swing.
void sort_tallies(Trace& t) {
  std::vector<Tally> kept;
  for (Tally& tally : t.tallies)
    for (std::size_t k = 0; k < t.windows.size(); ++k)
      if (t.windows[k].of == Window::Of::counts && t.windows[k].begin <= tally.time &&
          tally.time < t.windows[k].end) {
        tally.window = int(k);
        kept.push_back(tally);
      }
  std::stable_sort(kept.begin(), kept.end(), [](const Tally& a, const Tally& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.time < b.time;
  });
  t.tallies = std::move(kept);
}

Trace finished(Reading& r) {
  number_calls(r);
  sort_tallies(r.trace);
  std::stable_sort(r.trace.events.begin(), r.trace.events.end(),
                   [](const TracedEvent& a, const TracedEvent& b) {
                     return a.timed != b.timed ? a.timed : a.begin < b.begin;
                   });
  return std::move(r.trace);
}

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

bool Trace::has_calls() const {
  return std::any_of(events.begin(), events.end(), [](const TracedEvent& e) { return e.is_call(); });
}

std::vector<Trace> read_trace(const std::string& path) {
  const std::string shown = runtime::shown(path, 200);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UsageError(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
  std::vector<Trace> all;
  std::optional<Reading> now;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    const std::string where = fmt::format("{}: line {}", shown, ++number);
    const bool unfinished = in.eof();  // no line's end follows
    if (text.empty()) continue;
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() && unfinished) break;
    if (!json.is_object()) throw UsageError(where + ": no line of a trace");
    const Line line{json, where};
    if (json.contains("parity_trace")) {
      if (now) all.push_back(finished(*now));
      now.emplace();
      now->trace = begun(line);
    } else if (json.contains("traced")) {
      continue;  // that it was started
    } else if (!now) {
      throw UsageError(where + ": this is no file of 'parity trace'");
    } else {
      add_line(*now, line);
    }
  }
  if (now) all.push_back(finished(*now));
  if (all.empty())
    throw UsageError(
        fmt::format("{}: holds no program: the traced one used neither Kokkos nor, where parity was built "
                    "with CUPTI, CUDA",
                    shown));
  return all;
}

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
