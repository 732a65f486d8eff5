// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::analysis {
namespace {

/// long double, since times since 1970 have more digits than a double.
using Json =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;
using runtime::UsageError;
using trace::Kind;

constexpr double steps_of_part = 8;  ///< minimum, per part of the unrecorded rest
constexpr std::size_t least_parts = 3;
/// A part of the rest whose pace lies outside these ratios to the recorded pace does something else.
constexpr double fastest = 0.3, slowest = 1.25;
constexpr double most_of_program = 0.8;  ///< share of the operations
constexpr double rounding = 0.5e-9, most_of_trace = 0.5;

const Json& field(const Json& object, const char* key) {
  static const Json none;
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() ? *at : none;
}
std::string text_in(const Json& object, const char* key) {
  const Json& j = field(object, key);
  return j.is_string() ? j.get<std::string>() : "";
}
/// A number, or a text that contains one: some versions of PyTorch write times as text.
long double exact_in(const Json& object, const char* key) {
  const Json& j = field(object, key);
  if (j.is_number()) return j.get<long double>();
  return j.is_string() ? std::strtold(j.get<std::string>().c_str(), nullptr) : 0;
}
double number_in(const Json& object, const char* key) { return double(exact_in(object, key)); }
template <class Whole>
Whole whole_in(const Json& object, const char* key) {
  const double x = number_in(object, key);
  return x >= 0 && x < std::min(9e15, double(std::numeric_limits<Whole>::max())) ? Whole(x) : Whole(0);
}

/// The product of a grid's or block's dimensions; 0 if absent.
std::uint32_t size_in(const Json& object, const char* key) {
  const Json& numbers = field(object, key);
  double size = numbers.is_array() && !numbers.empty() ? 1 : 0;
  for (const Json& n : numbers) size *= n.is_number() ? double(n.get<long double>()) : 0;
  return size >= 0 && size <= double(std::numeric_limits<std::uint32_t>::max()) ? std::uint32_t(size) : 0;
}

/// Reads a Chrome trace while it is parsed, so that only one event is in memory at a time.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) { trace_.file = file_; }

  bool has_events() const { return has_events_ || is_list_; }
  /// Returns true if the parser should keep a part.
  bool take(int depth, Json::parse_event_t part, Json& json) {
    // Nothing deeper is needed, and copying JSON recurses to its depth.
    if (depth > 8 && (part == Json::parse_event_t::array_start || part == Json::parse_event_t::object_start))
      return false;
    if (part == Json::parse_event_t::key && depth == 1) key_ = json.get<std::string>();
    if (part == Json::parse_event_t::array_start && depth == 0) is_list_ = true;
    if (part == Json::parse_event_t::array_start && depth == 1 && key_ == "traceEvents") has_events_ = true;
    if (part == Json::parse_event_t::value && depth == 1) header_[key_] = json;
    if (part == Json::parse_event_t::array_end && depth == 1 && key_ == "arguments") header_[key_] = json;
    if (part == Json::parse_event_t::object_end && depth == 1 && key_ == "distributedInfo")
      if (const Json& rank = field(json, "rank"); rank.is_number_integer() || rank.is_string())
        header_["rank"] = rank.is_string() ? rank : Json(rank.dump());
    if (part != Json::parse_event_t::object_end || depth != (is_list_ ? 1 : 2)) return true;
    if (key_ == "deviceProperties")
      add_device(json);
    else if (is_list_ || key_ == "traceEvents")
      add(json);
    return false;
  }

  /// whole: true if the parser reached the end.
  Trace finish(bool whole, std::size_t bytes) {
    const bool ours = header_.contains("parity_trace");
    if (!has_events_ && !is_list_)
      throw UsageError(
          fmt::format("{}: {}", file_,
                      bytes > 0 && !whole
                          ? "no JSON"
                          : "this is no trace: neither of 'parity trace' nor of PyTorch or Nsight Systems"));
    if (ours && whole_in<int>(header_, "parity_trace") != 2)
      throw UsageError(fmt::format("{}: a trace of another version of parity; record it again", file_));
    if (!whole && trace_.events.empty() && !ours) throw UsageError(fmt::format("{}: no JSON", file_));
    trace_.ended = ours ? ended_ : whole;
    for (const Json& word : field(header_, "arguments"))
      if (word.is_string()) trace_.arguments.push_back(word.get<std::string>());
    trace_.host = text_in(header_, "host");
    trace_.processor = text_in(header_, "processor");
    trace_.rank = text_in(header_, "rank");
    if (ours) trace_.process = whole_in<std::int64_t>(header_, "process");
    finish_trace(trace_);
    return std::move(trace_);
  }

 private:
  void add_device(const Json& j) {
    const TracedDevice found{whole_in<int>(j, "id"), text_in(j, "name")};
    if (std::none_of(trace_.devices.begin(), trace_.devices.end(),
                     [&found](const TracedDevice& d) { return d.index == found.index; }))
      trace_.devices.push_back(found);
  }

  double seconds_after_zero(const Json& j) {
    const long double us = exact_in(j, "ts");
    if (!has_zero_) zero_ = header_.contains("parity_trace") ? 0 : us;
    has_zero_ = true;
    return double(1e-6L * (us - zero_));
  }

  void add(const Json& j) {
    const std::string phase = text_in(j, "ph"), name = text_in(j, "name");
    const Json& arguments = field(j, "args");
    if (phase == "M" && header_.contains("parity_trace")) return add_note(name, arguments);
    if (phase == "C" && name == "count")
      trace_.rest.push_back({seconds_after_zero(j), number_in(arguments, "count")});
    // Only complete events (X) are read; others are reported if nothing else is there.
    if (phase == "B" || phase == "E") return add_unknown("pairs of B and E");
    if (phase != "X") return;
    const std::string category = text_in(j, "cat");
    Kind kind = Kind::none;
    for (const trace::Category& c : trace::categories)
      if (category == c.name) kind = c.kind;
    const bool is_call = category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime";
    if (is_call) kind = trace::kind_of_call(name);
    if (kind == Kind::none && !is_call) add_unknown(category.empty() ? "none" : category);
    if (kind == Kind::none) return;
    TracedEvent e;
    e.kind = kind;
    e.name = trace_.number_of(name.empty() ? "(no name)" : name);
    e.timed = !field(j, "ts").is_null();
    e.begin = e.timed ? seconds_after_zero(j) : 0;
    e.seconds = 1e-6 * number_in(j, "dur");
    if (!std::isfinite(e.begin) || !std::isfinite(e.seconds)) return;
    e.correlation = whole_in<std::uint32_t>(arguments, "correlation");
    e.bytes = whole_in<std::uint64_t>(arguments, "bytes");
    if (e.on_device()) {
      e.device = whole_in<int>(arguments, "device");
      e.stream = whole_in<std::uint32_t>(arguments, "stream");
      e.blocks = size_in(arguments, "grid");
      e.threads = size_in(arguments, "block");
    } else {
      const Json& thread = field(j, "tid");
      e.thread = threads_.emplace(thread.dump(), int(threads_.size())).first->second;
      const auto process = whole_in<std::int64_t>(j, "pid");
      if (trace_.process == 0) trace_.process = process;
      if (is_call && process != trace_.process)
        throw UsageError(fmt::format(
            "{}: holds calls of processes {} and {}, whose numbers of kernels clash: give each a file of its "
            "own in one folder",
            file_, trace_.process, process));
    }
    trace_.events.push_back(e);
  }

  void add_unknown(const std::string& category) {
    std::vector<std::string>& all = trace_.unknown;
    if (all.size() < 5 && std::find(all.begin(), all.end(), category) == all.end()) all.push_back(category);
  }

  void add_note(const std::string& name, const Json& j) {
    if (name == "device") add_device(j);
    if (name == "refused") trace_.doubts.push_back(text_in(j, "interface") + ": " + text_in(j, "why"));
    if (name == "signal") {
      const char* const words = strsignal(whole_in<int>(j, "signal"));
      trace_.doubts.push_back(fmt::format("a signal ended the program: {}", words ? words : "unknown"));
    }
    if (name == "end") {
      ended_ = true;
      trace_.lost = whole_in<std::uint64_t>(j, "lost");
      trace_.open = whole_in<std::uint64_t>(j, "open");
    }
  }

  std::string file_, key_;
  Trace trace_;
  Json header_ = Json::object();
  std::map<std::string, int> threads_;
  long double zero_ = 0;
  bool has_zero_ = false, is_list_ = false, has_events_ = false, ended_ = false;
};

std::vector<Trace> read_file(const std::string& path) {
  const std::string shown = runtime::shown(path, 200);
  std::ifstream in(path, std::ios::binary);
  char magic[16] = {};
  if (!in || std::filesystem::is_directory(path))
    throw UsageError(fmt::format("{}: cannot be read: {}", shown, std::strerror(errno)));
  in.read(magic, sizeof magic);
  const auto size = std::size_t(in.gcount());
  if (size == 0) return {};
  if (std::memcmp(magic, "SQLite format 3", 16) == 0) return read_nsys(path);
  if (std::memcmp(magic, "\x1f\x8b", 2) == 0)
    throw UsageError(fmt::format("{}: is compressed: gunzip it first", shown));
  if (const auto kind = std::filesystem::path(path).extension(); kind == ".nsys-rep" || kind == ".qdrep")
    throw UsageError(
        fmt::format("{}: is a report: give what 'nsys export --type sqlite' makes of it", shown));
  in.clear();
  if (!in.seekg(0)) throw UsageError(fmt::format("{}: is a pipe: write the trace into a file first", shown));
  Reader reader(shown);
  bool whole = true;
  try {
    [[maybe_unused]] const Json none = Json::parse(
        in, [&reader](int depth, Json::parse_event_t part, Json& j) { return reader.take(depth, part, j); });
  } catch (const Json::exception& e) {
    const auto* const error = dynamic_cast<const Json::parse_error*>(&e);
    const std::string what = e.what();
    // A killed program's trace is cut off at its end; with any other error the result would be incomplete.
    if (whole = false; reader.has_events() && !(error && error->byte >= std::filesystem::file_size(path)))
      throw UsageError(fmt::format("{}: byte {} is no JSON ({}); repair or remove this event", shown,
                                   error ? error->byte : 0,
                                   runtime::shown(what.substr(what.find(": ") + 2), 200)));
  }
  std::vector<Trace> one;
  one.push_back(reader.finish(whole, size));
  return one;
}

void add_all(std::vector<Trace>& to, std::vector<Trace> more) {
  for (Trace& t : more) to.push_back(std::move(t));
}

/// Reports files that are not traces and skips them; begin: required prefix of the name.
std::vector<Trace> read_folder(const std::filesystem::path& folder, const std::string& begin) {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.is_regular_file(none) && entry.path().filename().string().rfind(begin, 0) == 0)
      files.push_back(entry.path().string());
    else if (begin.empty())
      fmt::print(stderr, "parity: not read: {}: is no file\n", runtime::shown(entry.path().string(), 200));
  std::sort(files.begin(), files.end());
  std::vector<Trace> all;
  for (const std::string& file : files) try {
      std::vector<Trace> some = read_file(file);
      // A wrapper's own file is empty: its children's files are next to it.
      const bool wrapper = std::any_of(files.begin(), files.end(), [&file](const std::string& other) {
        return other.rfind(file + ".", 0) == 0;
      });
      if (some.empty() && begin.empty() && !wrapper)
        throw UsageError(runtime::shown(file, 200) + ": is empty");
      add_all(all, std::move(some));
    } catch (const UsageError& e) {
      fmt::print(stderr, "parity: not read: {}\n", e.what());
    }
  return all;
}

/// Number of loops before each repetition of a step on a host.
std::vector<Count> loops_before(const Trace& trace, const Step& step) {
  std::vector<Count> counts;
  double launches = 0;
  std::size_t k = 0;
  for (const TracedEvent& e : trace.events) {
    for (; k < step.when.size() && e.begin >= step.when[k].first; ++k)
      counts.push_back({step.when[k].first, launches});
    launches += e.timed && trace.is_launch(e);
  }
  return counts;
}

/// A damaged trace may contain any number.
std::size_t count_of(double number) { return number >= 0 && number < 9e15 ? std::size_t(number) : 0; }

/// Seconds per call, for parts of several steps each.
std::vector<double> seconds_a_call(const std::vector<Count>& counts, double calls_a_step) {
  std::vector<double> each;
  for (std::size_t from = 0, k = 1; k < counts.size(); ++k) {
    const double more = counts[k].number - counts[from].number;
    if (more < steps_of_part * calls_a_step) continue;
    each.push_back((counts[k].time - counts[from].time) / more);
    from = k;
  }
  return each;
}

}  // namespace

std::uint32_t Trace::number_of(const std::string& name) {
  const auto [at, is_new] = numbers.emplace(name, std::uint32_t(names.size()));
  if (is_new) names.push_back(name);
  return at->second;
}

std::string Trace::program(bool command_line) const {
  if (arguments.empty()) return "";
  if (command_line) return fmt::format("{}", fmt::join(arguments, " "));
  return arguments.front().substr(arguments.front().rfind('/') + 1);
}

bool Trace::is_launch(const TracedEvent& e) const {
  if (has_calls) return e.kind == Kind::launch || e.kind == Kind::graph_launch;
  return e.depth == 0 && (e.kind == Kind::loop || e.kind == Kind::reduction || e.kind == Kind::scan);
}

double Trace::busy_seconds() const {
  double device = 0, host = 0;
  for (const TracedEvent& e : events) {
    if (e.on_device()) device += e.seconds;
    if (e.kind <= Kind::deep_copy && e.depth == 0) host += e.seconds;
  }
  return device > 0 ? device : host;
}

/// Reports damaged events, one line each.
void look_for_damage(Trace& t) {
  std::size_t negative = 0;
  double begin = 1e300, end = -1e300;
  const TracedEvent* longest = nullptr;
  std::set<std::uint32_t> in_graphs;
  for (TracedEvent& e : t.events) {
    if (e.on_device() && e.kind != Kind::graph && e.correlation != 0) in_graphs.insert(e.correlation);
    negative += e.seconds < 0;
    e.timed = e.timed && (e.seconds >= 0 || !e.on_device());
    e.seconds = std::max(0.0, e.seconds);
    if (!e.timed) continue;
    begin = std::min(begin, e.begin);
    end = std::max(end, e.end());
    const bool counts = e.kind == Kind::launch || e.kind == Kind::kernel;
    if (counts && (!longest || e.seconds > longest->seconds)) longest = &e;
  }
  if (negative > 0)
    t.doubts.push_back(fmt::format("{} events end before they begin: their times are not used", negative));
  if (longest && t.events.size() > 1 && longest->seconds > most_of_trace * (end - begin))
    t.doubts.push_back(fmt::format("one event lasts {:.4g} s, most of the trace: {}", longest->seconds,
                                   runtime::shown(t.name(*longest))));
  // A graph's own record would count its recorded kernels twice.
  t.events.erase(std::remove_if(t.events.begin(), t.events.end(),
                                [&](const TracedEvent& e) {
                                  return e.kind == Kind::graph && in_graphs.count(e.correlation) > 0;
                                }),
                 t.events.end());
}

void finish_trace(Trace& t) {
  look_for_damage(t);
  std::stable_sort(t.events.begin(), t.events.end(), [](const TracedEvent& a, const TracedEvent& b) {
    return a.timed != b.timed ? a.timed : a.begin != b.begin ? a.begin < b.begin : a.seconds > b.seconds;
  });
  // A runtime call makes a driver call; work that the inner one starts belongs to the runtime call.
  std::unordered_map<std::uint32_t, std::uint32_t> outer;
  std::map<int, std::vector<const TracedEvent*>> open;  // by thread
  std::vector<bool> inner(t.events.size());
  for (std::size_t k = 0; k < t.events.size(); ++k) {
    TracedEvent& e = t.events[k];
    if (!e.timed || e.on_device()) continue;
    if (e.kind == Kind::wait || e.kind == Kind::copy_call)
      t.recorded.push_back({e.begin, double(t.recorded.size())});
    std::vector<const TracedEvent*>& around = open[e.thread];
    const auto contains = [&e](const TracedEvent& o) {
      return o.end() > e.begin + rounding && o.end() + rounding >= e.end();
    };
    while (!around.empty() && !contains(*around.back())) around.pop_back();
    for (const TracedEvent* o : around) {
      e.depth += o->kind != Kind::region;
      if (!e.is_call() || !o->is_call()) continue;
      inner[k] = true;
      if (e.correlation != o->correlation) outer[e.correlation] = o->correlation;
    }
    if (!inner[k]) around.push_back(&e);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < t.events.size(); ++k) {
    if (inner[k]) continue;
    TracedEvent e = t.events[k];
    t.has_calls = t.has_calls || e.is_call();
    if (const auto at = outer.find(e.correlation); e.on_device() && at != outer.end())
      e.correlation = at->second;
    t.events[kept++] = e;
  }
  t.events.resize(kept);
  // CUPTI and PyTorch list all devices of the machine.
  std::set<int> used;
  for (const TracedEvent& e : t.events)
    if (e.on_device()) used.insert(e.device);
  for (const int device : used)
    if (std::none_of(t.devices.begin(), t.devices.end(),
                     [=](const TracedDevice& d) { return d.index == device; }))
      t.devices.push_back({device, ""});
  if (!used.empty())
    t.devices.erase(std::remove_if(t.devices.begin(), t.devices.end(),
                                   [&used](const TracedDevice& d) { return used.count(d.index) == 0; }),
                    t.devices.end());
  std::sort(t.rest.begin(), t.rest.end(), [](const Count& a, const Count& b) { return a.time < b.time; });
  std::vector<Count> growing;
  for (const Count& c : t.rest)
    if (growing.empty() || c.number > growing.back().number) growing.push_back(c);
  t.rest = std::move(growing);
}

std::vector<Trace> read_traces(const std::string& path) {
  const std::string shown = runtime::shown(path, 200);
  if (std::filesystem::is_directory(path)) {
    std::vector<Trace> all = read_folder(path, "");
    if (all.empty()) throw UsageError(fmt::format("{}: holds no trace", shown));
    return all;
  }
  std::vector<Trace> all = read_file(path);
  if (!all.empty() && !all.front().events.empty()) return all;
  const std::filesystem::path file(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (std::vector<Trace> children = read_folder(folder, file.filename().string() + "."); !children.empty())
    return children;
  if (!all.empty() && !all.front().unknown.empty())
    throw UsageError(fmt::format(
        "{}: holds no event of a category that is known (cuda_runtime, kernel, kokkos_for, …), but "
        "others: {}; record it with 'parity trace' or a newer profiler",
        shown, runtime::shown(fmt::format("{}", fmt::join(all.front().unknown, ", ")), 200)));
  if (!all.empty() && !all.front().ended && all.front().doubts.empty())
    throw UsageError(
        fmt::format("{}: holds no event and no end: the program was killed, became another one, or left by "
                    "_exit, as workers of "
                    "Python's multiprocessing do, before anything was written",
                    shown));
  if (all.empty() || all.front().doubts.empty())
    throw UsageError(
        fmt::format("{}: holds no event: the traced program used neither Kokkos nor, where parity was built "
                    "with CUPTI, CUDA",
                    shown));
  return all;
}

std::optional<Pace> undisturbed_pace(const Trace& trace, const Step& step) {
  std::vector<Count> recorded = step.on_device ? trace.recorded : loops_before(trace, step);
  const double begin = step.when.front().first, end = step.when.back().second;
  recorded.erase(std::remove_if(recorded.begin(), recorded.end(),
                                [=](const Count& c) { return c.time < begin || c.time > end; }),
                 recorded.end());
  if (recorded.size() < 2) return std::nullopt;
  const double covered = double(step.repetitions * step.places.size()) / double(step.operations);
  double repetitions = 0;
  for (const auto& one : step.when)
    repetitions += one.first >= recorded.front().time && one.first < recorded.back().time;
  // If a step is nearly all of the program, its operations tell how often it was repeated.
  if (covered >= most_of_program) repetitions /= covered;
  const double calls = (recorded.back().number - recorded.front().number) / std::max(1.0, repetitions);
  // Occasional work between steps occurs in both parts, at the same rate.
  const std::vector<double> parts = seconds_a_call(recorded, calls);
  const double usual = parts.empty() ? 0 : harness::median_of(parts);
  std::vector<double> each;
  for (const double one : seconds_a_call(trace.rest, calls))
    if (one < slowest * usual && one > fastest * usual) each.push_back(one / usual);
  if (each.size() < least_parts) return std::nullopt;
  const double rest = (trace.rest.back().number - trace.rest.front().number) / calls;
  const harness::Summary s = harness::summarise(each);
  const double wall = covered >= most_of_program ? calls * usual : step.wall.value;
  return Pace{Pace::From::rest, {wall * s.median, wall * s.low, wall * s.high}, each.size(), count_of(rest)};
}

}  // namespace parity::analysis
