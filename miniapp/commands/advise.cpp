// SPDX-License-Identifier: BSD-3-Clause
// parity advise: what graphs, dependent launches, fusion and persistent kernels would save in a traced
// program.
#include "analysis/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"

namespace parity::commands {
namespace {

using analysis::Figure;
using analysis::StepAdvice;
using analysis::Trace;
using analysis::Way;
using Json = nlohmann::json;

constexpr std::size_t most_shown = 24;          ///< operations of a step in the text
constexpr std::size_t shown_repetitions = 3;    ///< in the timeline
constexpr std::size_t most_of_timeline = 2000;  ///< events

struct Options {
  std::string trace, format = "text";
  std::vector<std::string> machines, apart;
  std::size_t least = 1;
};

std::string us(const Figure& f) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", 1e6 * f.value, 1e6 * f.low, 1e6 * f.high);
}

std::string times(double n) { return std::isfinite(n) ? fmt::format("{:.0f}", std::ceil(n)) : "never"; }

const char* taken_off(const StepAdvice& a, const Trace& trace) {
  if (!a.pace)
    return "what recording adds, as far as that is known: no window of the trace only counts launches "
           "(--share)";
  return !a.step.on_device || trace.launch_counted > 0
             ? "what counting adds"
             : "what counting adds, which only a trace with --own-launches knows";
}

void print_step(const StepAdvice& a, std::size_t number, const Trace& trace) {
  const analysis::Step& s = a.step;
  fmt::print("\nstep {}: {} operations, found {} times; {:.0f} % of {} operations of its thread\n", number,
             s.places.size(), s.repetitions,
             100 * double(s.repetitions * s.places.size()) / double(s.operations), s.operations);
  fmt::print("  us a step: {} where it is recorded\n", us(s.wall));
  if (a.pace)
    fmt::print("  us a step: {} where its launches are counted alone, in {} parts of the time: {} steps\n",
               us(a.pace->step), a.pace->samples, a.pace->steps);
  if (a.refused.empty()) fmt::print("  us a step: {} without {}\n", us(a.now), taken_off(a, trace));
  const auto share = [&s](const char* what, const Figure& part) {
    if (part.value > 0)
      fmt::print("    {:<34} {:<28} {:>4.0f} %\n", what, us(part), 100 * part.value / s.wall.value);
  };
  if (s.on_device) {
    share("the host in calls that launch", s.launching);
    share("the host in calls that wait", s.waiting);
    share("the host in calls that copy, fill", s.copying_calls);
    share("the device computing", s.computing);
    share("the device copying and filling", s.copying);
  } else {
    share("fences", s.waiting);
    share("deep copies", s.copying_calls);
    double loops = 0;
    for (const analysis::Place& p : s.places)
      if (p.kind != trace::Kind::fence && p.kind != trace::Kind::deep_copy) loops += p.host.value;
    fmt::print("    {:<34} {:<28.2f} {:>4.0f} %\n", "loops, reductions and scans", 1e6 * loops,
               100 * loops / s.wall.value);
  }
  fmt::print("  {:<12} {:>12} {:>12}  {}\n", "what", "host us", "device us", "name");
  for (std::size_t k = 0; k < std::min(most_shown, s.places.size()); ++k) {
    const analysis::Place& p = s.places[k];
    fmt::print("  {:<12} {:>12.2f} {:>12}  {}\n", trace::words_of_kinds[int(p.kind)], 1e6 * p.host.value,
               s.on_device && p.device.value > 0 ? fmt::format("{:.2f}", 1e6 * p.device.value) : "-",
               runtime::shown(p.name, 80));
  }
  if (s.places.size() > most_shown) fmt::print("  ... and {} more\n", s.places.size() - most_shown);
  if (!a.refused.empty()) {
    fmt::print("  nothing is predicted: {}\n", runtime::shown(a.refused, 300));
  } else {
    if (!a.ways.empty())
      fmt::print("  {:<20} {:>26} {:>26} {:>22}  {}\n", "way of launching", "us a step", "saved",
                 "pays after", "");
    for (const Way& w : a.ways) {
      std::string after = "-";
      if (w.pays_after)
        after = fmt::format("{} [{}, {}]", times(w.pays_after->value), times(w.pays_after->low),
                            times(w.pays_after->high));
      fmt::print("  {:<20} {:>26} {:>26} {:>22}  {}\n", w.name, us(w.step), us(w.saved), after, w.means);
    }
    fmt::print("  {}\n", a.verdict);
  }
  for (const StepAdvice::Elsewhere& e : a.elsewhere)
    fmt::print("  on {}, launching alone, us a step: {}; as a graph {}; fused {}\n",
               runtime::shown(e.device, 80), us(e.stream), us(e.graph), us(e.fused));
}

void print_text(const std::vector<std::pair<Trace, std::vector<StepAdvice>>>& all) {
  for (const auto& [trace, steps] : all) {
    fmt::print(
        "{}on {}: {} events{}\n", trace.program.empty() ? "" : runtime::shown(trace.program, 200) + ", ",
        runtime::shown(trace.devices.empty() || trace.devices.front().name.empty()
                           ? trace.processor
                           : trace.devices.front().name,
                       80),
        trace.events.size(),
        trace.ended ? ""
                    : "; the program was killed, or became another one, and its last events are missing");
    if (trace.lost > 0) fmt::print("  {} events were lost: steps may be missing\n", trace.lost);
    if (trace.open > 0) fmt::print("  {} things began and never ended\n", trace.open);
    if (trace.launch_recorded > 0 && trace.launch_alone > 0)
      fmt::print("  us a launch of a kernel that does nothing: {:.2f}; counted {}; recorded {:.2f}\n",
                 1e6 * trace.launch_alone,
                 trace.launch_counted > 0 ? fmt::format("{:.2f}", 1e6 * trace.launch_counted) : "-",
                 1e6 * trace.launch_recorded);
    for (const std::string& doubt : trace.doubts) fmt::print("  {}\n", runtime::shown(doubt, 300));
    if (steps.empty())
      fmt::print(
          "  no sequence of launches, copies and waits, or of loops, repeats: there is nothing to advise "
          "on\n");
    for (std::size_t k = 0; k < steps.size(); ++k) print_step(steps[k], k + 1, trace);
  }
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json to_json(const Figure& f) {
  return {{"value", number(f.value)}, {"low", number(f.low)}, {"high", number(f.high)}};
}

/// What happened in some repetitions from the middle of the program, for a picture.
Json timeline(const Trace& trace, const analysis::Step& step) {
  Json events = Json::array();
  const std::size_t first =
      step.when.size() > shown_repetitions ? (step.when.size() - shown_repetitions) / 2 : 0;
  const std::size_t last = std::min(step.when.size(), first + shown_repetitions) - 1;
  const double begin = step.when[first].first;
  // The device may come after the host.
  const double end = std::max(step.when[last].second, begin + double(last - first + 1) * step.wall.value);
  for (const analysis::TracedEvent& e : trace.events) {
    if (!e.timed || e.end() < begin || e.begin > end || events.size() >= most_of_timeline) continue;
    events.push_back({{"kind", trace::words_of_kinds[int(e.kind)]},
                      {"name", trace.name(e)},
                      {"lane", e.on_device() ? fmt::format("device {} stream {}", e.device, e.stream)
                                             : fmt::format("thread {}", e.thread)},
                      {"begin", e.begin - begin},
                      {"seconds", e.seconds}});
  }
  return events;
}

Json to_json(const Trace& trace, const StepAdvice& a) {
  Json places = Json::array(), ways = Json::array(), elsewhere = Json::array();
  for (const analysis::Place& p : a.step.places)
    places.push_back({{"kind", trace::words_of_kinds[int(p.kind)]},
                      {"name", p.name},
                      {"host", to_json(p.host)},
                      {"device", a.step.on_device ? to_json(p.device) : Json()},
                      {"bytes", p.bytes},
                      {"missing", p.missing}});
  for (const Way& w : a.ways)
    ways.push_back({{"name", w.name},
                    {"means", w.means},
                    {"step", to_json(w.step)},
                    {"saved", to_json(w.saved)},
                    {"pays_after", w.pays_after ? to_json(*w.pays_after) : Json()},
                    {"worth", w.worth}});
  for (const StepAdvice::Elsewhere& e : a.elsewhere)
    elsewhere.push_back({{"device", e.device},
                         {"stream", to_json(e.stream)},
                         {"graph", to_json(e.graph)},
                         {"fused", to_json(e.fused)}});
  return {{"repetitions", a.step.repetitions},
          {"operations", places},
          {"wall", to_json(a.step.wall)},
          {"launching", to_json(a.step.launching)},
          {"waiting", to_json(a.step.waiting)},
          {"copying_calls", to_json(a.step.copying_calls)},
          {"computing", to_json(a.step.computing)},
          {"copying", to_json(a.step.copying)},
          {"without_recording", to_json(a.now)},
          {"counted", a.pace ? Json{{"step", to_json(a.pace->step)},
                                    {"samples", a.pace->samples},
                                    {"steps", a.pace->steps},
                                    {"to_the_end", a.pace->to_the_end}}
                             : Json()},
          {"missing", a.step.missing},
          {"refused", a.refused.empty() ? Json() : Json(a.refused)},
          {"ways", ways},
          {"verdict", a.verdict},
          {"elsewhere", elsewhere},
          {"timeline", timeline(trace, a.step)}};
}

void print_json(const std::vector<std::pair<Trace, std::vector<StepAdvice>>>& all) {
  Json programs = Json::array();
  for (const auto& [trace, steps] : all) {
    Json list = Json::array(), devices = Json::array();
    for (const StepAdvice& a : steps) list.push_back(to_json(trace, a));
    for (const analysis::TracedDevice& d : trace.devices) devices.push_back(d.name);
    programs.push_back({{"program", trace.program},
                        {"host", trace.host},
                        {"processor", trace.processor},
                        {"devices", devices},
                        {"events", trace.events.size()},
                        {"lost", trace.lost},
                        {"open", trace.open},
                        {"ended", trace.ended},
                        {"launch",
                         {{"recorded", trace.launch_recorded > 0 ? Json(trace.launch_recorded) : Json()},
                          {"counted", trace.launch_counted > 0 ? Json(trace.launch_counted) : Json()},
                          {"alone", trace.launch_alone > 0 ? Json(trace.launch_alone) : Json()}}},
                        {"doubts", trace.doubts},
                        {"steps", list}});
  }
  fmt::print("{}\n",
             Json{{"advice", 1}, {"programs", programs}}.dump(1, ' ', false, Json::error_handler_t::replace));
}

int run(const Options& o) {
  if (o.format != "text" && o.format != "json")
    throw runtime::UsageError(fmt::format("--format is '{}': give text or json", runtime::shown(o.format)));
  std::vector<Trace> traces = analysis::read_trace(o.trace);
  std::vector<analysis::LaunchFigures> machines;
  for (const std::string& path : o.machines)
    for (analysis::LaunchFigures& f : analysis::launch_figures(harness::read_records({path})))
      machines.push_back(std::move(f));
  std::vector<std::pair<Trace, std::vector<StepAdvice>>> all;
  for (Trace& t : traces) {
    std::vector<StepAdvice> advice = analysis::advise(t, machines, o.apart, o.least);
    all.emplace_back(std::move(t), std::move(advice));
  }
  if (o.format == "json")
    print_json(all);
  else
    print_text(all);
  return runtime::exit_ok;
}

}  // namespace

Action add_advise(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("advise",
                                   "What graphs, dependent launches, fusion and persistent kernels would "
                                   "save in a program that 'parity trace' recorded");
  c->add_option("trace", o->trace, "File of the trace")->required();
  c->add_option("--machine", o->machines,
                "Records of jobs/plans/launch_model.toml: of the traced device, without which nothing is "
                "predicted, and of others");
  c->add_option("--least-operations", o->least,
                "Only sequences of so many operations or more, such as a step that has several equal parts")
      ->transform(number_from(1, 4096));
  c->add_option("--apart", o->apart,
                "Kernels with this word in their name, or label, are fused with one another alone");
  c->add_option("--format", o->format, "text (default) or json, which has a timeline, too");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
