// SPDX-License-Identifier: BSD-3-Clause
#include "launch/agreement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "launch/neighbours.hpp"
#include "launch/second_clock.hpp"
#include "runtime/host_clock.hpp"
#include "runtime/signals.hpp"

namespace parity::launch {
namespace {

/// Two brackets around the same calls differ by a call and a cache miss or two, and two host clocks run apart
/// by 0.05 % at most (what the time service may slew); 0.5 % leaves room for what interrupts between them.
constexpr double bracket_seconds = 0.25e-6, bracket_share = 0.005;
/// From a bracket to the first event and from the last event back to it: how much longer with many events
/// than with few, a queue does not say.
constexpr double queue_seconds = 1e-6;
/// A bare loop is another sample: other addresses, another moment.
constexpr double bare_seconds = 0.3e-6, bare_share = 0.1;
/// Of the cost of recording: what is not measured in a loop is twice as slow at most.
constexpr double cost_share = 1;
constexpr int fewest = 9, most = 63;
constexpr const char* no_such_call = "no such call was seen";
/// After which a comparison takes what it has.
constexpr double most_seconds = 2;
constexpr int most_bare_events = 6;

/// What one sample says.
struct Sample {
  double quantity = 0, expected = 0, bound = 0;
  double uneven = 0;
  std::string wrong;
};

/// Why these runs cannot be the quantity's; empty when they can. events: how many of each run must be over
/// when its wait returns; negative: nobody can say.
std::string wrong_runs(const std::vector<Run>& runs, const std::vector<int>& events) {
  if (runs.size() != events.size()) return fmt::format("{} runs instead of {}", runs.size(), events.size());
  for (std::size_t k = 0; k < runs.size(); ++k)
    if (events[k] >= 0 && runs[k].over != events[k])
      return fmt::format("run {}: {} of {} events were over when the wait returned", k + 1, runs[k].over,
                         events[k]);
  return "";
}

/// Why a method that asked for this many events is not the quantity's.
std::string wrong_counts(const std::vector<Run>& runs, const std::vector<int>& asked) {
  std::vector<int> counts;
  for (const Run& r : runs) counts.push_back(r.count);
  return counts == asked ? ""
                         : fmt::format("runs of {} events instead of {}", fmt::join(counts, ", "),
                                       fmt::join(asked, ", "));
}

/// The quantity's formula with each call longer by what recording it costs. That share of what it does to the
/// formula is in the bound, of each call by itself: of two calls whose costs cancel one may be colder.
void expect(Sample& s, const Method& m, const Seen& seen, const std::vector<Run>& runs, double call_cost,
            const Problem& p) {
  const auto formula = [&](const Seen& calls) {
    std::vector<Run> longer = runs_of(calls);
    for (std::size_t k = 0; k < runs.size(); ++k) longer[k].events = runs[k].events;
    return m.expected(longer, calls, p);
  };
  Seen longer = seen;
  s.bound = 0;
  const double before = formula(seen);
  for (std::size_t k = 0; call_cost > 0 && k < seen.calls.size(); ++k) {
    longer.calls[k].span.end += call_cost;
    s.bound += cost_share * std::abs(formula(longer) - before);
    longer.calls[k] = seen.calls[k];
  }
  for (CallSeen& c : longer.calls) c.span.end += call_cost;
  s.expected = formula(longer);
  if (m.uneven) s.uneven = m.uneven(runs);
  if (std::isnan(s.expected)) s.wrong = no_such_call;
}

/// What the samples so far say.
struct Taken {
  std::vector<double> quantity, expected, bound, uneven;
  int size() const { return int(quantity.size()); }
  void add(const Sample& s, double least_bound) {
    quantity.push_back(s.quantity);
    expected.push_back(s.expected);
    bound.push_back(least_bound + s.bound);
    uneven.push_back(s.uneven);
  }
};

bool fits(Finding f) { return f == Finding::agrees || f == Finding::coarse; }

/// Tells a method that is wrong from one whose assumption fails on this machine: what the instrument saw of
/// the assumption must account for the whole difference.
void look_for_uneven_runs(Agreement& a, const Taken& taken) {
  if (a.finding != Finding::differs) return;
  std::vector<double> accounted(taken.quantity.size());
  std::transform(taken.quantity.begin(), taken.quantity.end(), taken.uneven.begin(), accounted.begin(),
                 std::minus<>());
  Agreement rest = a;
  judge(rest, accounted, taken.expected);
  if (!fits(rest.finding)) return;
  a.finding = Finding::unclear;
  a.uneven = harness::summarise(taken.uneven);
}

Agreement repeated(Agreement a, const std::function<Sample()>& sample, const Method& m, const Problem& p,
                   double seconds = bracket_seconds, double share = bracket_share) {
  Neighbours neighbours;
  Taken all, alone;
  const auto best = [&]() -> const Taken& { return alone.size() >= fewest ? alone : all; };
  const double begin = runtime::host_seconds();
  while (all.size() < most) {
    runtime::stop_if_interrupted();
    Sample s;
    const bool left_alone = neighbours.leave_alone([&] { s = sample(); });
    if (!s.wrong.empty()) {
      a.wrong = s.wrong;
      a.finding = Finding::differs;
      return a;
    }
    const double least_bound = seconds / m.divisor(p) + share * std::abs(s.expected);
    all.add(s, least_bound);
    if (left_alone) alone.add(s, least_bound);
    if (all.size() < fewest) continue;
    a.bound = harness::summarise(best().bound).median;
    judge(a, best().quantity, best().expected);
    // No more where it is plain.
    const bool far = a.finding == Finding::differs && &best() == &alone &&
                     (a.difference.low > 5 * a.bound || a.difference.high < -5 * a.bound);
    if (fits(a.finding) || far || runtime::host_seconds_since(begin) > most_seconds) break;
  }
  if (m.uneven) look_for_uneven_runs(a, best());
  const bool scattered = a.difference.high - a.difference.low > a.bound;
  if (a.finding == Finding::differs && !(a.excuse = neighbours.excuse(&best() == &alone, scattered)).empty())
    a.finding = Finding::unclear;
  return a;
}

/// What launching a graph does for each node before the first begins and after the last is over is in the
/// quantity and not between events.
Agreement of_events(const std::string& instrument, const Subject& s) {
  Agreement a;
  a.instrument = instrument;
  a.at_least = s.entry.role == Role::graph;
  return a;
}

Setting setting(const Subject& s, Work work) { return {s.problem, s.ticks_per_second, work}; }

class Nothing : public Probe {
  void start(int, const Work&) override {}
  void synchronise() override {}
};
/// Seconds that a watched call takes outside of its own record.
double watching_cost() {
  Nothing nothing;
  WatchedProbe watched(nothing, nullptr);
  std::vector<double> cost;
  for (int k = 0; k < 101; ++k) {
    const double start = second_clock();
    watched.start(1, Work());
    const double seconds = second_clock() - start;
    cost.push_back(seconds - watched.take().calls.front().span.seconds());
  }
  return harness::summarise(cost).median;
}

}  // namespace

void judge(Agreement& a, const std::vector<double>& quantity, const std::vector<double>& expected) {
  std::vector<double> d(quantity.size());
  std::transform(quantity.begin(), quantity.end(), expected.begin(), d.begin(), std::minus<>());
  a.quantity = harness::summarise(quantity);
  a.expected = harness::summarise(expected);
  a.difference = harness::summarise(d);
  const double low = a.difference.low, high = a.difference.high;
  // On a machine in heavy use intervals lie beside the truth by chance, but not by their own width.
  const double beyond = std::max(a.at_least ? 0 : low - a.bound, -a.bound - high);
  if (!std::isfinite(low + high) || beyond > high - low)
    a.finding = Finding::differs;
  else if (low > -2 * a.bound && (high < 2 * a.bound || a.at_least) && beyond <= 0)
    // Of the shorter of both: a quantity that is too long must not make its own bound look small.
    a.finding = a.bound > coarse_share * std::min(std::abs(a.quantity.median), std::abs(a.expected.median))
                    ? Finding::coarse
                    : Finding::agrees;
  else
    a.finding = Finding::unclear;
}

std::string Agreement::text() const {
  if (!wrong.empty()) return instrument + ": " + wrong;
  std::string text = fmt::format(
      "{}{} {:.3f} us, quantity {:.3f} us (apart by {:.3f} [{:.3f}, {:.3f}] us of at most {:.3f})",
      instrument, at_least ? " at least" : "", 1e6 * expected.median, 1e6 * quantity.median,
      1e6 * difference.median, 1e6 * difference.low, 1e6 * difference.high, 1e6 * bound);
  if (uneven)
    text += fmt::format(
        ": outside of their events R2 and R3, which the method takes to be alike there, are {:.3f} [{:.3f}, "
        "{:.3f}] us apart",
        1e6 * uneven->median, 1e6 * uneven->low, 1e6 * uneven->high);
  if (!excuse.empty()) text += "; " + excuse;
  return text;
}

Problem few_events(const Quantity& q, Problem p, int most_events) {
  // A pass of a barrier is so short that few say little.
  p.launches = std::min(p.launches, q.roles.front() == Role::barrier ? 2 * most_events : most_events);
  if (q.units && p.launches == p.units) ++p.launches;  // the formula divides by their difference
  return p;
}

std::vector<Agreement> with_event_log(const Subject& s) {
  const Method& m = s.quantity.method;
  const std::vector<int> asked = m.asked(s.problem);
  const int events = std::accumulate(asked.begin(), asked.end(), 0);
  Logbook log(s.entry.events_on_device(), events, s.problem.indices() - 1);
  WatchedProbe watched(s.probe, &log);
  const double cost = watching_cost();
  Work work = s.work;
  work.log = log.log();
  const auto sample = [&](bool by_events) {
    log.clear();
    Sample r;
    r.quantity = m.sample(watched, setting(s, work));
    Seen seen = watched.take();
    if (!(r.wrong = wrong_runs(runs_of(seen), asked)).empty()) return r;
    if (!(r.wrong = wrong_counts(runs_of(seen), asked)).empty()) return r;
    if ((seen.holds > 0) != m.held) r.wrong = m.held ? "the queue was not held" : "the queue was held";
    if (log.over() != events) r.wrong = "events ran after the last wait";
    if (!r.wrong.empty()) return r;
    if (!by_events) seen.events.clear();
    expect(r, m, seen, runs_of(seen), cost, s.problem);
    if (by_events) r.bound += 0.5 * m.readings * log.resolution() / m.divisor(s.problem);
    return r;
  };
  sample(true);  // what happens for the first time takes longer
  std::vector<Agreement> all;
  if (m.readings > 0)
    all.push_back(repeated(
        of_events("event log", s), [&] { return sample(true); }, m, s.problem, queue_seconds));
  if (m.held) return all;
  Agreement calls;
  calls.instrument = "watched calls";
  all.push_back(repeated(
      calls, [&] { return sample(false); }, m, s.problem));
  return all;
}

std::vector<Agreement> with_tracer(const Subject& s, Tracer& tracer) {
  const Method& m = s.quantity.method;
  std::vector<int> kernels = m.asked(s.problem);
  bool all_seen = true;
  for (int& k : kernels) {
    k = kernels_of(s.entry, s.problem, k);
    all_seen = all_seen && k >= 0;
  }
  struct Traced {
    Tracer& tracer;
    explicit Traced(Tracer& t) : tracer(t) { tracer.start(); }
    ~Traced() { tracer.stop(); }
  } traced(tracer);
  const auto sample = [&](bool by_kernels) {
    Sample r;
    tracer.take();
    m.sample(s.probe, setting(s, s.work));  // after its records were read a tracer is slow at first
    tracer.forget();
    r.quantity = m.sample(s.probe, setting(s, s.work));
    Seen seen = tracer.take();
    if (!(r.wrong = wrong_runs(runs_of(seen), kernels)).empty()) return r;
    if (!by_kernels) seen.events.clear();
    expect(r, m, seen, runs_of(seen), tracer.call_cost(), s.problem);
    return r;
  };
  sample(true);
  std::vector<Agreement> all;
  // A portable construct does more than to call CUDA, before the first kernel too.
  const bool does_more = s.entry.family == harness::Family::kokkos;
  if (m.readings > 0 && all_seen) {
    Agreement kernels_seen = of_events(tracer.name() + " (kernels)", s);
    kernels_seen.at_least = kernels_seen.at_least || does_more;
    all.push_back(repeated(
        kernels_seen, [&] { return sample(true); }, m, s.problem, queue_seconds));
  }
  if (m.held) return all;
  Agreement calls;
  calls.instrument = tracer.name() + " (calls)";
  calls.at_least = does_more;
  calls = repeated(
      calls, [&] { return sample(false); }, m, s.problem);
  // A portable construct may do without the call.
  if (!does_more || calls.wrong != no_such_call) all.push_back(calls);
  return all;
}

Agreement with_bare_loop(const Subject& all) {
  // Of few launches one too many is more than the bound.
  const Subject s{all.probe,
                  all.entry,
                  all.quantity,
                  few_events(all.quantity, all.problem, most_bare_events),
                  all.ticks_per_second,
                  all.work};
  const Method& m = s.quantity.method;
  const std::unique_ptr<Bare> bare = s.entry.bare(s.problem);
  WatchedProbe watched(s.probe, nullptr);
  const auto replayed = [&bare](const Seen& seen) {
    Seen r;
    for (CallSeen c : seen.calls) {
      if (c.step == Step::prepare) bare->prepare(c.count, c.work);
      c.span.begin = second_clock();
      if (c.step == Step::start) bare->loop(c.count, c.work);
      if (c.step == Step::synchronise) bare->wait();
      c.span.end = second_clock();
      r.calls.push_back(c);
    }
    return r;
  };
  m.sample(watched, setting(s, s.work));
  const Seen calls = watched.take();
  const auto sample = [&] {
    Sample r;
    r.quantity = m.sample(s.probe, setting(s, s.work));
    const Seen seen = replayed(calls);
    if (!(r.wrong = wrong_counts(runs_of(seen), m.asked(s.problem))).empty()) return r;
    expect(r, m, seen, runs_of(seen), 0, s.problem);
    return r;
  };
  sample();
  Agreement a;
  a.instrument = "bare loop";
  return repeated(a, sample, m, s.problem, bare_seconds, bare_share);
}

}  // namespace parity::launch
