// SPDX-License-Identifier: BSD-3-Clause
// parity advise: estimates the savings of graphs, dependent launches and fusion in a traced program.
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/trace/advice_text.hpp"
#include "tools/trace/try.hpp"

namespace parity::commands {
using analysis::Figure;
using analysis::StepAdvice;
using analysis::Trace;

std::string time_text(double seconds) {
  const double s = std::abs(seconds);
  const auto [scale, unit] = s >= 1 || s == 0 ? std::pair(1.0, "s")
                             : s >= 1e-3      ? std::pair(1e3, "ms")
                                              : std::pair(1e6, "us");
  const double n = scale * seconds;
  return fmt::format("{:.{}f} {}", n, std::abs(n) >= 100 ? 0 : std::abs(n) >= 10 ? 1 : 2, unit);
}

std::string interval_text(const Figure& f) {
  return fmt::format("{} [{}, {}]", time_text(f.value), time_text(f.low), time_text(f.high));
}

std::string fit(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string short_name(std::string name) {
  int status = 0;
  if (char* const plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status); plain) {
    name = plain;
    std::free(plain);
  }
  for (const std::string part : {"(anonymous namespace)::", "void "})
    for (std::size_t at; (at = name.find(part)) != std::string::npos;) name.erase(at, part.size());
  std::string kept;
  int depth = 0;
  for (std::size_t k = 0; k < name.size(); ++k) {
    const bool operation = k >= 8 && name.compare(k - 8, 8, "operator") == 0;
    if (name[k] == '(' && depth == 0 && !operation) break;
    if (name[k] == '<' && !operation) ++depth;
    if (depth == 0) kept += name[k];
    if (name[k] == '>' && depth > 0) --depth;
  }
  return runtime::shown(kept.empty() ? name : kept, 300);
}

std::string device_of(const Trace& t) {
  return t.has_calls ? t.devices.empty() ? "" : t.devices.front().name : t.processor;
}

std::string program_of(const Trace& t, bool command_line) {
  const std::string program = t.program(command_line);
  return runtime::shown(program.empty() ? t.file : program, 200);
}

std::string source_of(const StepAdvice& a) {
  if (!a.pace) return "from the recorded part alone";
  return a.pace->from == analysis::Pace::From::user
             ? "as --step-time says"
             : fmt::format("from the rest of the run, {} steps that were not recorded", a.pace->steps);
}

const Process& busiest_of(const Advised& all) {
  return *std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first.busy_seconds() < b.first.busy_seconds();
  });
}

namespace {

using analysis::Way;
using Json = nlohmann::json;

constexpr double nearly_as_good = 0.7;  ///< of the best savings: then prefer a graph

struct Options {
  std::vector<std::string> traces;
  std::string format = "text";
  bool command_line = false, trying = false;
  analysis::AdviceOptions advice;
};

std::string to_do(const Way& w, const StepAdvice& a) {
  const bool waits = std::any_of(a.step.places.begin(), a.step.places.end(),
                                 [](const analysis::Place& p) { return p.waits(); });
  if (w.name == "graph")
    return waits ? "Capture the launches between two waits as a CUDA graph"
                 : "Capture this step as one CUDA graph";
  if (w.name == "unrolled graph")
    return "Capture " + w.means.substr(0, w.means.find(" captured")) + " as one CUDA graph";
  if (w.name == "dependent launches")
    return "Launch each kernel as a programmatic dependent of the one before";
  return a.step.on_device ? "Fuse neighbouring kernels" : "Fuse neighbouring loops";
}

/// The best way, or a graph if it saves nearly as much; null if nothing may help.
const Way* best_of(const StepAdvice& a) {
  for (const char* worth : {"yes", "perhaps"}) {
    const Way* best = nullptr;
    for (const Way& w : a.ways)
      if (w.worth == worth && (!best || w.step.value < best->step.value)) best = &w;
    for (const Way& w : a.ways)
      if (best && w.name == "graph" && w.worth != "no" && w.saved.value >= nearly_as_good * best->saved.value)
        best = &w;
    if (best) return best;
  }
  return nullptr;
}

std::string faster(double times) { return fmt::format("{:.{}f} times faster", times, times < 10 ? 1 : 0); }

void print_ways(const StepAdvice& a) {
  const double now = a.tried ? a.tried->replay.value : a.now.value;
  fmt::print("\n{:<20} {:>32} {:>8} {:>8}  {}\n", a.tried ? "tried here" : "by model", "a step", "faster",
             "helps", "pays after, steps");
  for (const Way& w : a.ways) {
    std::string after = "-";
    const auto steps = [](double n) {
      return std::isfinite(n) ? fmt::format("{:.0f}", std::ceil(n)) : "never";
    };
    if (w.pays_after)
      after = fmt::format("{} [{}, {}]", steps(w.pays_after->value), steps(w.pays_after->low),
                          steps(w.pays_after->high));
    fmt::print("{:<20} {:>32} {:>7.2f}x {:>8}  {}\n", w.name, interval_text(w.step), now / w.step.value,
               w.worth, fit(after, 26));
  }
  for (const Way& w : a.ways) fmt::print("{}\n", wrapped("  " + w.name + ": " + w.means, width, 4));
  if (a.tried)
    for (const std::string& why : a.tried->refused)
      fmt::print("{}\n", wrapped("  not all was tried: " + runtime::shown(why, 300), width, 4));
}

void print_operations(const analysis::Step& s) {
  struct Group {
    trace::Kind kind;
    std::string name;
    int times;
    double host, device;
  };
  std::vector<Group> groups;
  for (const analysis::Place& p : s.places) {
    const std::string name = short_name(p.name);
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.kind == p.kind && g.name == name; });
    if (at == groups.end()) at = groups.insert(at, {p.kind, name, 0, 0, 0});
    ++at->times;
    at->host += p.host.value;
    at->device += s.on_device ? p.device.value : 0;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::max(a.host, a.device) > std::max(b.host, b.device);
  });
  fmt::print("\n{:<12} {:>6} {:>10} {:>10}  {}\n", "what", "times", "host", "device", "name");
  for (std::size_t k = 0; k < std::min(most_shown, groups.size()); ++k) {
    const Group& g = groups[k];
    fmt::print("{:<12} {:>6} {:>10} {:>10}  {}\n", trace::words_of_kinds[int(g.kind)], g.times,
               time_text(g.host), g.device > 0 ? time_text(g.device) : "-", fit(g.name, width - 44));
  }
  if (groups.size() > most_shown) fmt::print("... and {} more names\n", groups.size() - most_shown);
}

void print_step(const StepAdvice& a, const Trace& trace, const std::string& program) {
  const analysis::Step& s = a.step;
  const Way* const best = best_of(a);
  const double now = a.tried ? a.tried->replay.value : a.now.value;
  if (a.tried) {
    const auto& t = *a.tried;
    fmt::print(
        "{}\n",
        wrapped(fmt::format("The replay as recorded takes {}, the recorded step {}{}: {:+.1f} %; {}",
                            time_text(t.seen), time_text(t.recorded),
                            t.while_recorded ? ", both while recorded" : "", 100 * (t.seen / t.recorded - 1),
                            t.distrust.empty() ? "what follows can be trusted."
                                               : "what follows cannot be trusted: " + t.distrust),
                width, 2));
  }
  if (!a.refused.empty())
    fmt::print("{}\n", wrapped("Nothing is predicted: " + runtime::shown(a.refused, 300), width, 2));
  else if (!best)
    fmt::print("Leave the launches as they are: nothing else saves a twentieth of this step, {}.\n",
               time_text(now));
  else
    fmt::print("{}: {}{}, {} -> {}.\n", to_do(*best, a), best->worth == "yes" ? "" : "perhaps ",
               faster(now / best->step.value), time_text(now), interval_text(best->step));
  const std::string device = runtime::shown(device_of(trace), 100);
  fmt::print("{}\n", fit(program + (device.empty() ? "" : " on " + device), width));
  fmt::print("{} operations a step; seen {} times, {:.0f} % of the busiest thread\n", s.places.size(),
             s.repetitions,
             100 * double(s.repetitions * s.places.size()) / double(std::max<std::size_t>(1, s.operations)));
  fmt::print("a step takes {}, {}\n", interval_text(a.now), source_of(a));
  const auto part = [](const char* what, const Figure& f) {
    return f.value > 0 ? fmt::format("{} {}, ", what, time_text(f.value)) : std::string();
  };
  std::string parts = part("launching", s.launching) + part("waiting", s.waiting) +
                      part("copying", s.copying_calls) + part("device computing", s.computing) +
                      part("device copying", s.copying);
  fmt::print("while recorded {}{}{}\n", time_text(s.wall.value), parts.empty() ? "" : ": ",
             parts.substr(0, parts.empty() ? 0 : parts.size() - 2));
  if (a.refused.empty() && !a.ways.empty()) print_ways(a);
  print_operations(s);
}

std::size_t print_processes(const Advised& all, bool command_line) {
  const auto* const busiest = &busiest_of(all);
  const auto name = [](const Trace& t) {
    return t.rank.empty() ? fmt::format("process {}", t.process)
                          : fmt::format("rank {}", runtime::shown(t.rank, 10));
  };
  fmt::print("{} processes; the busiest, which this is about, is {}\n", all.size(), name(busiest->first));
  for (const auto& [t, steps] : all)
    fmt::print("  {:<16} busy {:>8} {:>9} events  {}\n", name(t), time_text(t.busy_seconds()),
               t.events.size(), fit(program_of(t, command_line), width - 46));
  fmt::print("\n");
  return std::size_t(busiest - all.data());
}

void print_text(const Advised& all, bool command_line) {
  const std::size_t about = all.size() > 1 ? print_processes(all, command_line) : 0;
  const auto& [trace, steps] = all[about];
  if (steps.empty())
    fmt::print(
        "No sequence of launches, copies and waits, or of loops, repeats: there is nothing to advise on.\n");
  if (steps.empty() && !trace.unknown.empty())
    fmt::print("{}\n", wrapped("Not read, since such events are not known: " +
                                   runtime::shown(fmt::format("{}", fmt::join(trace.unknown, ", ")), 300),
                               width, 2));
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (k > 0) fmt::print("\nanother sequence\n");
    print_step(steps[k], trace, program_of(trace, command_line));
  }
  if (!trace.ended)
    fmt::print(
        "\nThe program was killed, left by _exit or became another one, or the file was cut off: its last\n"
        "events are missing.\n");
  if (trace.lost > 0) fmt::print("{} events were lost: steps may be missing\n", trace.lost);
  if (trace.open > 0) fmt::print("{} things began and never ended\n", trace.open);
  for (const std::string& doubt : trace.doubts)
    fmt::print("{}\n", wrapped(runtime::shown(doubt, 300), width, 2));
}

constexpr const char* words_of_pace[] = {"rest", "user"};

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json to_json(const Figure& f) {
  return {{"value", number(f.value)}, {"low", number(f.low)}, {"high", number(f.high)}};
}

Json to_json(const StepAdvice& a) {
  Json places = Json::array(), ways = Json::array();
  for (const analysis::Place& p : a.step.places)
    places.push_back({{"kind", trace::words_of_kinds[int(p.kind)]},
                      {"name", p.name},
                      {"host", to_json(p.host)},
                      {"device", a.step.on_device ? to_json(p.device) : Json()},
                      {"bytes", p.bytes}});
  for (const Way& w : a.ways)
    ways.push_back({{"name", w.name},
                    {"means", w.means},
                    {"step", to_json(w.step)},
                    {"saved", to_json(w.saved)},
                    {"pays_after", w.pays_after ? to_json(*w.pays_after) : Json()},
                    {"worth", w.worth}});
  Json counted, tried;
  if (a.tried)
    tried = {{"replay", to_json(a.tried->replay)},
             {"recorded", a.tried->recorded},
             {"seen", a.tried->seen},
             {"while_recorded", a.tried->while_recorded},
             {"distrust", a.tried->distrust.empty() ? Json() : Json(a.tried->distrust)},
             {"refused", a.tried->refused}};
  if (a.pace)
    counted = {{"step", to_json(a.pace->step)},
               {"samples", a.pace->samples},
               {"steps", a.pace->steps},
               {"from", words_of_pace[int(a.pace->from)]}};
  return {{"repetitions", a.step.repetitions},
          {"operations", places},
          {"wall", to_json(a.step.wall)},
          {"launching", to_json(a.step.launching)},
          {"waiting", to_json(a.step.waiting)},
          {"copying_calls", to_json(a.step.copying_calls)},
          {"computing", to_json(a.step.computing)},
          {"copying", to_json(a.step.copying)},
          {"without_recording", to_json(a.now)},
          {"counted", counted},
          {"missing", a.step.missing},
          {"refused", a.refused.empty() ? Json() : Json(a.refused)},
          {"ways", ways},
          {"tried", tried}};
}

void print_json(const Advised& all, bool command_line) {
  Json programs = Json::array();
  for (const auto& [trace, steps] : all) {
    Json list = Json::array(), devices = Json::array();
    for (const StepAdvice& a : steps) list.push_back(to_json(a));
    for (const analysis::TracedDevice& d : trace.devices) devices.push_back(d.name);
    programs.push_back({{"program", trace.program(command_line)},
                        {"host", trace.host},
                        {"processor", trace.processor},
                        {"devices", devices},
                        {"events", trace.events.size()},
                        {"lost", trace.lost},
                        {"open", trace.open},
                        {"ended", trace.ended},
                        {"doubts", trace.doubts},
                        {"steps", list}});
  }
  fmt::print("{}\n",
             Json{{"advice", 1}, {"programs", programs}}.dump(1, ' ', false, Json::error_handler_t::replace));
}

int run(const Options& o) {
  if (o.format != "text" && o.format != "json")
    throw runtime::UsageError(fmt::format("--format is '{}': give text or json", runtime::shown(o.format)));
  std::vector<Trace> traces = analysis::read_traces(o.traces.front());
  const auto advised = [&](std::vector<Trace> of) {
    Advised all;
    for (Trace& t : of) {
      std::vector<StepAdvice> advice = analysis::advise(t, o.advice);
      all.emplace_back(std::move(t), std::move(advice));
    }
    return all;
  };
  if (o.traces.size() > 1) {
    if (!o.advice.apart.empty() || o.advice.step_seconds > 0 || o.format != "text" || o.trying)
      throw runtime::UsageError(
          "--try, --apart, --step-time and --format are for advice on one trace: leave them out");
    print_comparison(advised(std::move(traces)), advised(analysis::read_traces(o.traces[1])), o.command_line);
    return runtime::exit_ok;
  }
  Advised all = advised(std::move(traces));
  if (o.trying) {
    auto& [trace, advice] = const_cast<Process&>(busiest_of(all));
    replay::try_ways(trace, advice, o.advice);
  }
  if (o.format == "json")
    print_json(all, o.command_line);
  else
    print_text(all, o.command_line);
  return runtime::exit_ok;
}

}  // namespace

Action add_advise(CLI::App& app, const harness::Studies&) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("advise",
                                   "What graphs, dependent launches and fusion would save in a program "
                                   "that 'parity trace' recorded");
  c->add_option(
       "trace", o->traces,
       "File of 'parity trace', of 'nsys export --type sqlite' or of PyTorch's profiler "
       "(export_chrome_trace); or a folder of such files, one a process. Two of them are the program "
       "before and after a change: what the change saved. Ranks of one program are a folder")
      ->required()
      ->expected(1, 2);
  c->add_flag("--try", o->trying,
              "Plays the longest-lasting step on this machine's GPU, with kernels that spin, as recorded and "
              "in each of these ways: measured times instead of a model's. Takes up to 20 s");
  c->add_option("--step-time", o->advice.step_seconds,
                "Seconds that a step takes if nothing records it, if you know them")
      ->transform(number_from(1e-9, 1e6));
  c->add_option("--least-operations", o->advice.least,
                "Only sequences of so many operations or more, such as a step that has several equal parts")
      ->transform(number_from(1, 4096));
  c->add_option("--apart", o->advice.apart,
                "Kernels with this word in their name, or label, are fused with one another alone");
  c->add_flag("--command-line", o->command_line,
              "Show the program's whole command line, if the trace has it, not its name alone");
  c->add_option("--format", o->format, "text (default) or json");
  return [o] { return run(*o); };
}

}  // namespace parity::commands
