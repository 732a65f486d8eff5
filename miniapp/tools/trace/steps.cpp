// SPDX-License-Identifier: BSD-3-Clause
#include "tools/trace/trace.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace parity::analysis {
namespace {

using trace::Kind;

constexpr std::size_t searched = 40'000;  ///< operations in which a period is searched
constexpr std::size_t longest_period = 4'096;
constexpr std::size_t least_repetitions = 4;
constexpr double least_share = 0.2;  ///< share of the operations that a sequence must cover
constexpr double nearly_all = 0.95;  ///< relative to the best period's coverage
constexpr int most_sequences = 4;

/// One action of a host thread: a call, or a Kokkos loop on the host.
struct Operation {
  const TracedEvent* host = nullptr;
  std::vector<const TracedEvent*> device;  ///< the device work that it started
  std::string name;                        ///< Kokkos' label, else the kernel's name, else the call's
  bool known = true;                       ///< true if the work that it started is in the trace
  std::string call;                        ///< the name of the call itself
};

bool is_loop(Kind kind) { return kind == Kind::loop || kind == Kind::reduction || kind == Kind::scan; }
bool is_label(Kind kind) { return is_loop(kind) || kind == Kind::deep_copy || kind == Kind::fence; }

/// The word of operation 'number' of a kind; -1 matches any operation of the kind.
int word_for(Kind kind, int number) { return number * 16 + int(kind); }

Kind kind_of(int word) { return Kind(word & 15); }

bool same(int a, int b) { return a == b || ((a < 0 || b < 0) && kind_of(a) == kind_of(b)); }

Figure spent_of(const std::vector<double>& samples) {
  const harness::Summary s = harness::summarise(samples);
  return {s.median, s.low, s.high};
}

/// Total length of the union of these intervals, in seconds.
double covered_by(std::vector<std::pair<double, double>> spans) {
  std::sort(spans.begin(), spans.end());
  double all = 0, until = -1e300;
  for (const auto& [begin, end] : spans) {
    all += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return all;
}

std::vector<int> words_of(const std::vector<Operation>& all) {
  std::map<std::pair<Kind, std::string>, int> numbers;
  std::vector<int> words;
  for (const Operation& o : all)
    words.push_back(
        o.known
            ? word_for(o.host->kind,
                       numbers.emplace(std::pair(o.host->kind, o.name), int(numbers.size())).first->second)
            : word_for(o.host->kind, -1));
  return words;
}

/// Number of words in stretches that repeat with the period.
std::size_t covered_with(const std::vector<int>& words, std::size_t period) {
  // Requires one full repetition, and at least four words: two operations of a kind are not a sequence.
  const std::size_t least = std::max<std::size_t>(period, 4);
  std::size_t covered = 0, run = 0, counted_to = 0;
  for (std::size_t i = 0; i + period <= words.size(); ++i) {
    const bool fits = i + period < words.size() && same(words[i], words[i + period]);
    if (fits) {
      ++run;
      continue;
    }
    if (run >= least) {
      const std::size_t begin = std::max(counted_to, i - run), end = i + period;
      covered += end - begin;
      counted_to = end;
    }
    run = 0;
  }
  return covered;
}

/// The beginning of the longest stretch with the period, and the number of its repeated words.
std::pair<std::size_t, std::size_t> longest_run(const std::vector<int>& words, std::size_t period) {
  std::size_t begin = 0, longest = 0, run = 0;
  for (std::size_t i = 0; i + period < words.size(); ++i) {
    run = same(words[i], words[i + period]) ? run + 1 : 0;
    if (run > longest) {
      longest = run;
      begin = i + 1 - run;
    }
  }
  return {begin, longest};
}

/// The sequence: the most frequent word at each place. It begins after its last wait or copy.
std::vector<int> pattern_of(const std::vector<int>& words, std::size_t period) {
  const auto [best, best_run] = longest_run(words, period);
  std::vector<int> pattern(period);
  for (std::size_t place = 0; place < period; ++place) {
    std::map<int, int> votes;
    for (std::size_t i = best + place; i < best + best_run + period; i += period)
      if (words[i] >= 0) ++votes[words[i]];
    pattern[place] = words[best + place];
    for (const auto& [word, count] : votes)
      if (pattern[place] < 0 || count > votes[pattern[place]]) pattern[place] = word;
  }
  for (std::size_t place = period; place-- > 0;)
    if (kind_of(pattern[place]) == Kind::wait || kind_of(pattern[place]) == Kind::fence) {
      std::rotate(pattern.begin(), pattern.begin() + std::ptrdiff_t((place + 1) % period), pattern.end());
      break;
    }
  return pattern;
}

std::vector<std::size_t> find_all(const std::vector<int>& words, const std::vector<int>& pattern) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i + pattern.size() <= words.size();) {
    const bool here = std::equal(pattern.begin(), pattern.end(), words.begin() + std::ptrdiff_t(i), same);
    if (here) found.push_back(i);
    i += here ? pattern.size() : 1;
  }
  return found;
}

/// The first kernel that a repetition launches; null if its record is missing.
const TracedEvent* first_kernel(const std::vector<Operation>& all, std::size_t first, std::size_t length) {
  for (std::size_t i = first; i < first + length; ++i) {
    const Kind kind = all[i].host->kind;
    if (kind != Kind::launch && kind != Kind::graph_launch) continue;
    return all[i].device.empty() || !all[i].device.front()->timed ? nullptr : all[i].device.front();
  }
  return nullptr;
}

Step step_of(const Trace& trace, const std::vector<Operation>& all, const std::vector<std::size_t>& begins,
             std::size_t length) {
  Step step;
  step.repetitions = begins.size();
  step.operations = all.size();
  std::vector<double> wall, device_wall, launching, waiting, copying_calls, computing, copying;
  struct Seen {
    std::vector<double> host, device, bytes, before;
  };
  std::vector<Seen> seen(length);
  step.places.resize(length);
  std::map<std::string, std::vector<double>> work;
  struct Newest {
    std::size_t at;  // counted through all repetitions
    double end;
  };
  std::map<std::uint32_t, Newest> newest;  // per stream
  // How often another place ended before a place began; hugely negative if they ever overlapped.
  std::vector<std::map<std::size_t, std::int64_t>> order(length);
  std::vector<std::int64_t> looked(length);
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const std::size_t i = begins[k];
    const TracedEvent& first = *all[i].host;
    const TracedEvent& last = *all[i + length - 1].host;
    step.when.emplace_back(first.begin, last.end());
    if (k + 1 < begins.size() && begins[k + 1] == i + length) {
      wall.push_back(all[i + length].host->begin - first.begin);
      const TracedEvent *from = first_kernel(all, i, length), *to = first_kernel(all, i + length, length);
      if (from && to && to->begin > from->begin) device_wall.push_back(to->begin - from->begin);
    }
    double launched = 0, waited = 0, copied = 0;
    std::vector<std::pair<double, double>> kernels, copies;
    for (std::size_t place = 0; place < length; ++place) {
      const Operation& o = all[i + place];
      Place& p = step.places[place];
      if (o.known || k == 0) {
        p.kind = o.host->kind;
        p.name = o.name;
        p.call = o.call;
      }
      const double seconds = o.host->seconds;
      if (is_loop(o.host->kind)) work[o.name].push_back(seconds);
      seen[place].host.push_back(seconds);
      const bool follows = place > 0 || (k > 0 && begins[k - 1] + length == i);
      if (follows) seen[place].before.push_back(o.host->begin - all[i + place - 1].host->end());
      const bool launches = o.host->kind == Kind::launch || o.host->kind == Kind::graph_launch;
      if (launches) launched += seconds;
      if (o.host->kind == Kind::wait || o.host->kind == Kind::fence) waited += seconds;
      if (o.host->kind == Kind::copy_call || o.host->kind == Kind::set_call ||
          o.host->kind == Kind::deep_copy)
        copied += seconds;
      double on_device = 0;
      bool timed = true;
      for (const TracedEvent* e : o.device) {
        timed = timed && e->timed;
        on_device += e->seconds;
        p.stream = e->stream;
        p.blocks = e->blocks;
        p.threads = e->threads;
        if (e->kind == Kind::copy) p.copy = trace.name(*e);
        looked[place] += e->timed;
        const std::size_t at = k * length + place;
        for (const auto& [stream, other] : newest)
          if (stream != e->stream && e->timed && at - other.at < length)
            order[place][other.at % length] += other.end <= e->begin ? 1 : std::numeric_limits<int>::min();
        if (e->timed) newest[e->stream] = {at, e->end()};
        work[trace.name(*e)].push_back(e->seconds);
        if (e->bytes > 0) seen[place].bytes.push_back(double(e->bytes));
        const bool computes = e->kind == Kind::kernel || e->kind == Kind::graph;
        if (e->timed) (computes ? kernels : copies).emplace_back(e->begin, e->end());
      }
      if (launches) {
        ++step.expected;
        if (o.device.empty() || !timed) {
          ++step.missing;
          continue;
        }
      }
      if (!o.device.empty() && timed) seen[place].device.push_back(on_device);
    }
    launching.push_back(launched);
    waiting.push_back(waited);
    copying_calls.push_back(copied);
    computing.push_back(covered_by(kernels));
    copying.push_back(covered_by(copies));
  }
  // Isolated repetitions: from their first operation to the end of their last.
  if (wall.empty())
    for (const auto& [begin, end] : step.when) wall.push_back(end - begin);
  for (std::size_t place = 0; place < length; ++place) {
    step.places[place].host = spent_of(seen[place].host);
    step.places[place].device = spent_of(seen[place].device);
    step.places[place].before = spent_of(seen[place].before);
    step.places[place].bytes = harness::median_of(seen[place].bytes);
    for (const auto& [other, times] : order[place])  // the first repetition has no predecessor
      if (times + 1 >= looked[place]) step.places[place].after.push_back(other);
  }
  const Figure on_host = spent_of(wall), on_device = spent_of(device_wall);
  step.wall = on_device.value > on_host.value ? on_device : on_host;
  step.launching = spent_of(launching);
  step.waiting = spent_of(waiting);
  step.copying_calls = spent_of(copying_calls);
  step.computing = spent_of(computing);
  step.copying = spent_of(copying);
  step.on_device = all[begins.front()].host->is_call();
  for (const auto& [name, each] : work) {
    const double times = double(each.size()) / double(begins.size());
    step.work[name] = {times, times * harness::median_of(each)};
  }
  return step;
}

/// The shortest period of at least so many words that covers nearly as much as the best one; 0 if too little
/// repeats.
std::size_t shortest_period(const std::vector<int>& words, std::size_t least) {
  std::vector<std::pair<std::size_t, std::size_t>> candidates;  // with the words that they cover
  std::size_t most = 0;
  const std::size_t longest = std::min(longest_period, words.size() / 2);
  for (std::size_t length = least; length <= longest; ++length) {
    const std::size_t covered = covered_with(words, length);
    if (covered < least_repetitions * length) continue;
    candidates.emplace_back(length, covered);
    most = std::max(most, covered);
  }
  if (double(most) < least_share * double(words.size())) return 0;
  for (const auto& [length, covered] : candidates)
    if (double(covered) >= nearly_all * double(most)) return length;
  return 0;
}

/// Two successive loops both repeat with a multiple of their periods; the longest stretch belongs to one.
std::size_t period_of(const std::vector<int>& words, std::size_t least) {
  const std::size_t all = shortest_period(words, least);
  if (all == 0) return 0;
  const auto [begin, run] = longest_run(words, all);
  const auto from = words.begin() + std::ptrdiff_t(begin);
  const std::size_t one = shortest_period({from, from + std::ptrdiff_t(run + all)}, least);
  return one > 0 && one < all ? one : all;
}

/// When recording ends, the device's records of queued work may be missing.
void cut_end(std::vector<Operation>& all) {
  const auto has_record = [](const Operation& o) { return !o.device.empty(); };
  const auto last = std::find_if(all.rbegin(), all.rend(), has_record);
  if (last != all.rend()) all.erase(last.base(), all.end());
}

/// The operations of the thread that has the most, in order.
std::vector<Operation> operations_of(const Trace& trace) {
  const bool calls = trace.has_calls;
  const auto counts = [calls](const TracedEvent& e) {
    return e.timed && (calls ? e.is_call() : is_label(e.kind) && e.depth == 0);
  };
  std::map<int, std::size_t> by_thread;
  for (const TracedEvent& e : trace.events)
    if (counts(e)) ++by_thread[e.thread];
  std::vector<Operation> all;
  if (by_thread.empty()) return all;
  const int busiest = std::max_element(by_thread.begin(), by_thread.end(), [](const auto& a, const auto& b) {
                        return a.second < b.second;
                      })->first;
  std::map<std::uint32_t, std::vector<const TracedEvent*>> started;
  std::vector<const TracedEvent*> labels;
  for (const TracedEvent& e : trace.events) {
    if (e.on_device() && e.correlation != 0) started[e.correlation].push_back(&e);
    if (calls && e.timed && is_label(e.kind) && e.thread == busiest) labels.push_back(&e);
  }
  std::size_t label = 0;
  for (const TracedEvent& e : trace.events) {
    if (!counts(e) || e.thread != busiest) continue;
    Operation o;
    o.host = &e;
    o.name = o.call = trace.name(e);
    if (calls) {
      if (const auto at = started.find(e.correlation); at != started.end() && e.correlation != 0)
        o.device = at->second;
      if (e.kind == Kind::launch) {
        o.known = !o.device.empty();
        if (o.known) o.name = trace.name(*o.device.front());
      }
      // The label that began last before the call and outlasts it.
      while (label + 1 < labels.size() && labels[label + 1]->begin <= e.begin) ++label;
      if (label < labels.size() && labels[label]->begin <= e.begin && labels[label]->end() >= e.end())
        o.name = trace.name(*labels[label]);
    }
    all.push_back(std::move(o));
  }
  const auto launches = [](const Operation& o) {
    return o.host->kind == Kind::launch || o.host->kind == Kind::graph_launch;
  };
  if (const auto last = std::find_if(all.rbegin(), all.rend(), launches);
      last != all.rend() && last->device.empty())
    cut_end(all);
  return all;
}

}  // namespace

bool Place::waits() const {
  return kind == Kind::wait || kind == Kind::fence ||
         (kind == Kind::copy_call && call.find("Async") == std::string::npos);
}

std::size_t Step::count(Kind kind) const {
  return std::size_t(
      std::count_if(places.begin(), places.end(), [kind](const Place& p) { return p.kind == kind; }));
}

std::size_t Step::launches() const {
  return on_device ? count(Kind::launch) + count(Kind::graph_launch)
                   : count(Kind::loop) + count(Kind::reduction) + count(Kind::scan);
}

std::vector<Step> steps_of(const Trace& trace, std::size_t least) {
  std::vector<Step> steps;
  const std::vector<Operation> all = operations_of(trace);
  std::vector<Operation> rest = all;
  for (int sequence = 0; sequence < most_sequences && rest.size() >= 2 * least_repetitions; ++sequence) {
    const std::vector<int> words = words_of(rest);
    std::vector<int> part = words;
    if (part.size() > searched) {
      const auto from = words.begin() + std::ptrdiff_t((words.size() - searched) / 2);
      part.assign(from, from + std::ptrdiff_t(searched));
    }
    const std::size_t period = period_of(part, least);
    if (period == 0) break;
    const std::vector<int> pattern = pattern_of(part, period);
    const std::vector<std::size_t> begins = find_all(words, pattern);
    if (begins.size() < least_repetitions) break;
    Step step = step_of(trace, rest, begins, period);
    step.operations = all.size();
    step.thread = all.front().host->thread;
    steps.push_back(std::move(step));
    std::vector<Operation> others;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (next < begins.size() && i == begins[next]) {
        i += period - 1;
        ++next;
      } else {
        others.push_back(std::move(rest[i]));
      }
    }
    // A graph is a single launch, so there are few of these operations.
    const auto graphs = std::count_if(others.begin(), others.end(),
                                      [](const Operation& o) { return o.host->kind == Kind::graph_launch; });
    if (double(others.size()) < least_share * double(all.size()) && graphs < int(least_repetitions)) break;
    rest = std::move(others);
  }
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return a.wall.value * double(a.repetitions) > b.wall.value * double(b.repetitions);
  });
  return steps;
}

}  // namespace parity::analysis
