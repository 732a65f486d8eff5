// SPDX-License-Identifier: BSD-3-Clause
// parity advise BEFORE AFTER: compares a program before and after a change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "commands/commands.hpp"
#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/trace/advice_text.hpp"

namespace parity::commands {
namespace {

using analysis::Figure;
using analysis::Step;
using analysis::StepAdvice;
using Work = std::map<std::string, Step::Work>;

constexpr double least_change = 1.01;

/// A step before the change, and the corresponding one after it.
struct Match {
  const StepAdvice *before, *after;
  double steps = 1;  ///< of 'before' per step of 'after', such as of an unrolled graph
  double alike = 0;  ///< share of the kernels that both have
};

/// Operations per step that 'one' has more often than 'other'.
Work more_in(const Work& one, const Work& other, double one_steps, double other_steps) {
  Work more;
  for (const auto& [name, work] : one) {
    const auto at = other.find(name);
    const double times = work.times / one_steps - (at == other.end() ? 0 : at->second.times / other_steps);
    if (times > 0.02) more[name] = {times, work.seconds / work.times * times};
  }
  return more;
}

Step::Work sum_of(const Work& all) {
  Step::Work sum;
  for (const auto& [name, work] : all) sum = {sum.times + work.times, sum.seconds + work.seconds};
  return sum;
}

Match match_of(const StepAdvice& before, const StepAdvice& after) {
  const Work &b = before.step.work, &a = after.step.work;
  std::vector<double> ratios;
  for (const auto& [name, work] : b)
    if (const auto at = a.find(name); at != a.end()) ratios.push_back(at->second.times / work.times);
  Match m{&before, &after};
  if (ratios.empty()) return m;
  const double ratio = harness::median_of(ratios);
  m.steps = ratio >= 1 ? std::round(ratio) : 1 / std::round(1 / ratio);
  const double gone = sum_of(more_in(b, a, 1, m.steps)).times, all = sum_of(b).times;
  m.alike = (all - gone) / (all + sum_of(more_in(a, b, m.steps, 1)).times);
  return m;
}

/// Matches the longest-lasting steps first. If none are alike, as after fusion, the two longest-lasting ones.
std::vector<Match> matches_of(const std::vector<StepAdvice>& before, const std::vector<StepAdvice>& after) {
  std::vector<Match> all;
  std::set<const StepAdvice*> taken;
  // A graph recorded as a whole names no kernels. The longest step matches the graph that lasts longest or
  // ends the program, and not the kernels of a warm-up before it.
  const auto whole = [](const StepAdvice& s) { return s.step.work.count("graph") > 0; };
  const auto last = std::max_element(after.begin(), after.end(), [](const auto& x, const auto& y) {
    return x.step.when.back() < y.step.when.back();
  });
  const StepAdvice& graph = whole(after.front()) ? after.front() : *last;
  if (whole(graph) && !whole(before.front())) {
    all.push_back({&before.front(), &graph});
    taken.insert(&graph);
  }
  for (const StepAdvice& b : before) {
    if (!all.empty() && all.front().before == &b) continue;
    Match best{&b, nullptr};
    for (const StepAdvice& a : after)
      if (const Match m = match_of(b, a); taken.count(&a) == 0 && m.alike > best.alike) best = m;
    if (taken.insert(best.after); best.after) all.push_back(best);
  }
  if (all.empty()) all.push_back({&before.front(), &after.front()});
  return all;
}

std::string count_text(double n) {
  return fmt::format("{:.{}f}", n, std::abs(n - std::round(n)) < 0.05 ? 0 : 1);
}

void print_names(const char* word, const Work& all) {
  std::vector<std::pair<std::string, Step::Work>> names(all.begin(), all.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  for (std::size_t k = 0; k < std::min(most_shown, names.size()); ++k)
    fmt::print("  {:<5} {:>6} times {:>9}  {}\n", word, count_text(names[k].second.times),
               time_text(names[k].second.seconds), fit(short_name(names[k].first), width - 32));
  if (names.size() > most_shown) fmt::print("  {} and {} more names\n", word, names.size() - most_shown);
}

void print_match(const Match& m) {
  const Step &b = m.before->step, &a = m.after->step;
  // Recording slows a step, so recorded times are compared with recorded times.
  const bool paced = m.before->pace && m.after->pace;
  const Figure before = paced ? m.before->now : b.wall, whole = paced ? m.after->now : a.wall;
  const Figure after{whole.value / m.steps, whole.low / m.steps, whole.high / m.steps};
  const bool faster = after.value < before.value;
  const double times = faster ? before.value / after.value : after.value / before.value;
  // A graph recorded as a whole does not show its contents: several graphs may be several steps.
  const auto of_graph = a.work.find("graph");
  const bool is_known = b.work.count("graph") > 0 || of_graph == a.work.end() || of_graph->second.times < 1.5;
  if (!is_known) {
    const std::string what = fmt::format(
        "Not known: a step takes {}; after the change {} graphs take {}, and how many steps these are is not "
        "in the trace: compare the time of each.",
        time_text(before.value), count_text(of_graph->second.times), time_text(after.value));
    fmt::print("{}\n", wrapped(what, width, 2));
    return;
  }
  fmt::print("{}: a step takes {} -> {}, {} {}.\n",
             times > least_change && (after.high < before.low || before.high < after.low)
                 ? fmt::format("{:.2f} times {}", times, faster ? "faster" : "slower")
                 : "No difference for sure",
             time_text(before.value), time_text(after.value), time_text(std::abs(before.value - after.value)),
             faster ? "saved" : "lost");
  const std::string source = paced ? source_of(*m.before) : "while recorded",
                    other = paced ? source_of(*m.after) : source;
  fmt::print("  before {}{}, after {}, {}\n", interval_text(before), source == other ? "" : " " + source,
             interval_text(after), other);
  if (a.work.count("graph") > b.work.count("graph"))
    fmt::print("  after the change: the step that launches a graph, seen {} times\n", a.repetitions);
  if (m.steps != 1) fmt::print("  one step after the change is {} before it\n", count_text(m.steps));
  const double launches = double(b.launches()), left = double(a.launches()) / m.steps;
  fmt::print("  {} a step: {} -> {}, {} saved\n", b.on_device ? "launches" : "loops", count_text(launches),
             count_text(left), count_text(launches - left));
  const Work added = more_in(a.work, b.work, m.steps, 1), gone = more_in(b.work, a.work, 1, m.steps);
  const Step::Work from = sum_of(b.work), to = sum_of(a.work);
  const bool whole_graphs = b.work.count("graph") + a.work.count("graph") > 0;
  const std::string sums =
      fmt::format("{} -> {} operations, {} -> {}", count_text(from.times), count_text(to.times / m.steps),
                  time_text(from.seconds), time_text(to.seconds / m.steps));
  const std::string work = whole_graphs ? "not known, since graphs are recorded whole (nsys "
                                          "--cuda-graph-trace=node and PyTorch's profiler name their kernels)"
                           : added.empty() && gone.empty() ? "the same"
                                                           : "not the same";
  fmt::print("{}\n", wrapped(fmt::format("  the {}'s work: {}: {}", b.on_device ? "GPU" : "host", work, sums),
                             width, 4));
  if (whole_graphs) return;
  print_names("new", added);
  print_names("gone", gone);
  if (m.alike == 0) fmt::print("  nothing of it is in both: these are the sequences that last longest\n");
}

/// Prints sequences without a match.
void print_alone(const char* word, const std::vector<StepAdvice>& steps, const std::vector<Match>& matches) {
  for (const StepAdvice& s : steps)
    if (std::none_of(matches.begin(), matches.end(),
                     [&s](const Match& m) { return m.before == &s || m.after == &s; }))
      fmt::print("\n{}: a sequence of {} operations, {}, seen {} times\n", word, s.step.places.size(),
                 time_text(s.now.value), s.step.repetitions);
}

}  // namespace

void print_comparison(const Advised& before, const Advised& after, bool command_line) {
  const Process& b = busiest_of(before);
  const auto same_rank = std::find_if(after.begin(), after.end(),
                                      [&b](const Process& p) { return p.first.rank == b.first.rank; });
  const Process& a = b.first.rank.empty() || same_rank == after.end() ? busiest_of(after) : *same_rank;
  if (b.first.rank != a.first.rank && !b.first.rank.empty() && !a.first.rank.empty())
    throw runtime::UsageError(fmt::format(
        "{} is of rank {} and {} of rank {}: two traces are one program before and after a "
        "change; give the folder of all ranks alone",
        b.first.file, runtime::shown(b.first.rank, 10), a.first.file, runtime::shown(a.first.rank, 10)));
  for (const Process* p : {&b, &a})
    if (p->second.empty())
      throw runtime::UsageError(
          fmt::format("{}: no sequence of launches or loops repeats: there is nothing to compare; record "
                      "more repetitions",
                      p->first.file));
  const std::vector<Match> matches = matches_of(b.second, a.second);
  for (const Match& m : matches) {
    if (m.before != matches.front().before) fmt::print("\nanother sequence\n");
    print_match(m);
  }
  print_alone("gone", b.second, matches);
  print_alone("new", a.second, matches);
  for (const auto& [word, p] : {std::pair("before", &b), std::pair("after", &a)}) {
    fmt::print("{}{:<6} {}\n", p == &b ? "\n" : "", word,
               fit(fmt::format("{}: {} on {}", p->first.file, program_of(p->first, command_line),
                               runtime::shown(device_of(p->first), 100)),
                   width - 7));
    for (const std::string& doubt : p->first.doubts) fmt::print("       {}\n", runtime::shown(doubt, 300));
    if (!p->first.ended) fmt::print("       its end is missing\n");
  }
}

}  // namespace parity::commands
