// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

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
  std::string text(const Json& object, const char* field) const {
    const auto at = object.find(field);
    if (at == object.end() || at->is_null()) return "";
    if (!at->is_string()) fail(field);
    return at->get<std::string>();
  }
  std::string text(const char* field) const { return text(json, field); }
};

/// Of a program while it is read.
struct Reading {
  Trace trace;
  std::map<std::uint32_t, std::uint32_t> outer;  ///< of a call in another one: that one
  bool over = false;                             ///< what follows are the recorder's own launches
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
    r.outer[e.correlation] = std::uint32_t(line.whole("of", 0));
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
  r.trace.events.push_back(e);
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
  } else if (const auto device = line.json.find("device"); device != line.json.end() && device->is_object()) {
    t.devices.push_back({int(Line{*device, line.where}.whole("index", 0)), line.text(*device, "name")});
  } else if (line.json.contains("interface")) {
    if (const std::string refused = line.text("refused"); !refused.empty())
      t.doubts.push_back(line.text("interface") + ": " + refused);
  } else if (line.json.contains("end")) {
    t.ended = true;
    t.lost = std::uint64_t(line.whole("lost", 0));
    t.open = std::uint64_t(line.whole("open", 0));
  } else if (line.json.contains("lost")) {
    t.lost = std::uint64_t(line.whole("lost", 0));
  }
}

Trace finished(Reading& r) {
  for (TracedEvent& e : r.trace.events)
    if (const auto outer = r.outer.find(e.correlation); e.on_device() && outer != r.outer.end())
      e.correlation = outer->second;
  std::stable_sort(r.trace.events.begin(), r.trace.events.end(),
                   [](const TracedEvent& a, const TracedEvent& b) {
                     return a.timed != b.timed ? a.timed : a.begin < b.begin;
                   });
  return std::move(r.trace);
}

}  // namespace

bool Trace::has_calls() const {
  return std::any_of(events.begin(), events.end(), [](const TracedEvent& e) { return e.is_call(); });
}

std::vector<Trace> read_trace(const std::string& path) {
  const std::string shown = runtime::shown(path, 200);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UsageError(fmt::format("{}: cannot be read", shown));
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
      now = Reading{begun(line), {}};
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

}  // namespace parity::analysis
