// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/best.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "diffusion/nominal_time.hpp"
#include "harness/environment.hpp"
#include "harness/measure.hpp"
#include "harness/records.hpp"
#include "harness/selection.hpp"
#include "runtime/device.hpp"
#include "runtime/error.hpp"

namespace parity::diffusion {
namespace {

using harness::Choice;
using harness::Measurement;

/// Whether two alphas mean the same arithmetic: some variants put off the scale of a step where that is
/// exact.
bool same_arithmetic(double a, double b) {
  const auto exact = [](double alpha) { return alpha == DeferredScale<double>::alpha; };
  return exact(a) == exact(b);
}

/// Whether a measurement says how fast a variant computes such planes here: of this host, device, build and
/// commit, right, plainly launched. A row that lacks a parameter, as no version writes it, says nothing.
bool counts_for(const Measurement& m, const Problem& p, const harness::RunIdentity& here) {
  try {
    return m.study == "diffusion" && m.mechanism == "stream" && m.comparable() && m.run.host == here.host &&
           m.run.device == here.device && m.run.build == here.build &&
           m.run.commit_text() == here.commit_text() && m.word("precision") == name(p.precision) &&
           m.integer("nx") == p.nx && m.integer("ny") == p.ny && m.integer("nz") > 0 &&
           m.integer("steps") > 0 && same_arithmetic(m.number("alpha"), p.alpha);
  } catch (const runtime::UsageError&) {
    return false;
  }
}

/// A model's time on a machine of our days, which need not be measured first.
double seconds_of(const harness::CostModel& m, bool on_gpu) {
  return nominal_seconds(m, on_gpu ? 2e12 : 2e10, on_gpu);
}

/// The problem with as many planes as the device could do in the time of these.
Problem in_full_turns(Problem p, std::int64_t at_once, bool whole) {
  p.nz = std::int64_t(
      std::llround(turns_taken(p.nz, at_once, whole) * double(std::max<std::int64_t>(1, at_once))));
  return p;
}

/// 0 where the variant does not say.
std::int64_t planes_at_once(const Problem& p, const Choice& c) {
  const auto at_once = entry_of(c).planes_at_once;
  return at_once ? std::max<std::int64_t>(1, at_once(p, c.tuning)) : 0;
}

double nominal_of_turns(const Problem& p, const Choice& c) {
  const bool gpu = c.entry->on_device();
  return seconds_of(study().task_of(in_full_turns(p, planes_at_once(p, c), !gpu))->model(c), gpu);
}

/// Whether a record is of such planes and such an alpha, however many planes.
bool is_alike(const RecordedRate& r, const Problem& p) {
  const auto within = [](double a, double b) { return a <= 2 * b && b <= 2 * a; };
  return same_arithmetic(r.alpha, p.alpha) &&
         within(double(r.nx) * double(r.ny), double(p.nx) * double(p.ny)) &&
         within(double(r.nx) * double(p.ny), double(p.nx) * double(r.ny));
}

/// Whether a file of rates cannot be read: it is no user's work, and may be made anew.
bool damaged(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return false;
  try {
    harness::read_lines(file);
    return false;
  } catch (const runtime::UsageError&) {
    return true;
  }
}

/// The choice of this name, where it can still be had.
std::optional<Choice> choice_of(const std::string& name, const harness::Task& task) {
  try {
    const Choice c = harness::choice_of(study(), name);
    return task.why_not(c) ? std::nullopt : std::optional<Choice>(c);
  } catch (const runtime::UsageError&) {
    return std::nullopt;  // a variant of another version
  }
}

/// Every tuning of a variant, the standard one first.
std::vector<Choice> all_tunings(const Entry& e) { return harness::select(study(), {e.name + "/*"}); }

/// What one tuning took on some planes, by steps.
using TimesBySteps = std::map<std::int64_t, double>;

/// From measurements of one variant: those of as many steps, else a line through the fewest and the most.
std::optional<Expected> by_measurements(const std::vector<const Measurement*>& rows, const Problem& p,
                                        const harness::Task& task) {
  std::map<std::pair<std::string, std::int64_t>, TimesBySteps> times;  // by name and planes
  for (const Measurement* m : rows)                                    // the newest of its kind counts
    times[{m->name(), m->integer("nz")}][m->integer("steps")] = m->host().value;
  std::optional<Expected> best;
  for (const auto& [key, by_steps] : times) {
    const auto& [name, planes] = key;
    const auto choice = choice_of(name, task);
    if (!choice) continue;
    if (choice->entry->on_device() && !can_be_scaled(planes, p.nz, planes_at_once(p, *choice))) continue;
    double seconds = 0;
    std::string steps;
    if (const auto same = by_steps.find(p.steps); same != by_steps.end()) {
      seconds = same->second;
      steps = fmt::format("{} step{}", p.steps, p.steps == 1 ? "" : "s");
    } else if (by_steps.size() > 1) {
      const auto& [few, short_time] = *by_steps.begin();
      const auto& [many, long_time] = *by_steps.rbegin();
      double step = (long_time - short_time) / double(many - few), start = short_time - step * double(few);
      if (step <= 0 || start < 0) {  // noise hides the start
        step = long_time / double(many);
        start = 0;
      }
      seconds = start + step * double(p.steps);
      steps = fmt::format("{} and {} steps", few, many);
    }
    if (seconds <= 0) continue;
    Problem measured = p;
    measured.nz = planes;
    seconds *= turns_of_planes(*choice, p) / turns_of_planes(*choice, measured);
    if (best && seconds >= best->seconds) continue;
    best = Expected{*choice, seconds, By::measurement,
                    fmt::format("measured on {} plane{}, {}", planes, planes == 1 ? "" : "s", steps)};
  }
  return best;
}

/// From the record on the planes most like these.
std::optional<Expected> by_record(const Entry& e, const Problem& p, const std::vector<RecordedRate>& rates,
                                  const harness::Task& task) {
  if (!e.on_device()) return std::nullopt;
  const auto named = [&](const std::string& tuning) { return e.name + (tuning.empty() ? "" : "/" + tuning); };
  const auto of = [&](const std::string& tuning) { return harness::choice_of(study(), named(tuning)); };
  Scaling s;
  s.variant = e.name;
  if (const auto gpu = runtime::device()) s.device = gpu->name;
  s.can_take = [&](const RecordedRate& r) { return choice_of(named(r.tuning), task).has_value(); };
  s.model = [&](const Problem& q, const std::string& tuning) {
    return study().task_of(q)->model(of(tuning));
  };
  s.planes_at_once = [&](const Problem& q, const std::string& tuning) {
    return planes_at_once(q, of(tuning));
  };
  const auto found = from_record(s, p, rates);
  if (!found) return std::nullopt;
  const RecordedRate& r = *found->rate;
  return Expected{of(r.tuning), found->seconds, By::record,
                  fmt::format("{}{}, {}x{}x{} N={}{} ({}, commit {})", found->near ? "" : "far from ",
                              r.device, r.nx, r.ny, r.nz, r.steps,
                              same_arithmetic(r.alpha, p.alpha) ? "" : fmt::format(" alpha={:g}", r.alpha),
                              r.record, r.commit),
                  found->near};
}

/// From the cost model alone, which of tunings that it cannot tell apart takes the first.
std::optional<Expected> by_model(const Entry& e, const Problem& p, const harness::Task& task) {
  std::optional<Expected> best;
  for (const Choice& c : all_tunings(e)) {
    if (task.why_not(c)) continue;
    const double seconds = nominal_of_turns(p, c);
    if (!best || seconds < best->seconds) best = Expected{c, seconds, By::model, "model"};
  }
  return best;
}

void leave_out(std::vector<LeftOut>& all, const Entry& e) {
  for (LeftOut& l : all)
    if (l.reason == e.not_chosen) {
      l.variants.push_back(e.name);
      return;
    }
  all.push_back({{e.name}, e.not_chosen});
}

}  // namespace

double turns_taken(std::int64_t planes, std::int64_t at_once, bool whole) {
  if (at_once < 1) return double(planes);
  const double turns = double(planes) / double(at_once);
  return whole ? std::ceil(turns) : std::max(1.0, turns);
}

bool can_be_scaled(std::int64_t measured, std::int64_t planes, std::int64_t at_once) {
  return at_once > 0 || 2 * planes >= measured;
}

std::tuple<int, double, bool> place_of(By by, bool near, double seconds, bool portable) {
  return {by == By::model ? 2 : near ? 0 : 1, seconds, portable};
}

std::optional<FromRecord> from_record(const Scaling& s, const Problem& p,
                                      const std::vector<RecordedRate>& rates) {
  const auto alike = [&](const RecordedRate& r) {
    return same_arithmetic(r.alpha, p.alpha) && s.can_take(r);
  };
  const RecordedRate* r = nearest_rate(rates, s.variant, p, alike);
  if (!r) r = nearest_rate(rates, s.variant, p, s.can_take);
  if (!r) return std::nullopt;
  const auto nominal = [&](const Problem& q) {
    const std::int64_t at_once = s.planes_at_once(q, r->tuning);
    return seconds_of(s.model(in_full_turns(q, at_once, false), r->tuning), true);
  };
  const double here = nominal(p), there = nominal(r->problem_like(p));
  if (!(here > 0 && there > 0)) return std::nullopt;
  const bool near =
      r->device == s.device && can_be_scaled(r->nz, p.nz, s.planes_at_once(p, r->tuning)) && is_alike(*r, p);
  return FromRecord{r, r->seconds() * here / there, near};
}

void put_in_order(std::vector<Expected>& all) {
  const auto place = [](const Expected& x) {
    return place_of(x.by, x.near, x.seconds, x.choice.entry->family == harness::Family::kokkos);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Expected& a, const Expected& b) { return place(a) < place(b); });
}

double turns_of_planes(const Choice& c, const Problem& p) {
  return turns_taken(p.nz, planes_at_once(p, c), !c.entry->on_device());
}

bool is_known(By by, bool near, double seconds, double least_of_far) {
  return by == By::measurement || (by == By::record && near && seconds <= least_of_far);
}

bool Candidates::known() const {
  if (all.empty()) return false;
  double least_of_far = std::numeric_limits<double>::infinity();
  for (const Expected& e : all)
    if (e.by == By::record && !e.near) least_of_far = std::min(least_of_far, e.seconds);
  return is_known(all.front().by, all.front().near, all.front().seconds, least_of_far);
}

std::vector<RecordedRate> recorded_here() {
  const auto gpu = gpu_class_here();
  return gpu ? rates_of(recorded_rates(), *gpu) : std::vector<RecordedRate>();
}

Candidates candidates(const Problem& p, const std::vector<Measurement>& measured) {
  return candidates(p, measured, recorded_here());
}

Candidates candidates(const Problem& whole, const std::vector<Measurement>& measured,
                      const std::vector<RecordedRate>& recorded, const PlanesOfLaunch& planes) {
  const harness::RunIdentity here = harness::this_environment().run;
  std::map<std::string, std::vector<const Measurement*>> rows;
  for (const Measurement& m : measured)
    if (counts_for(m, whole, here)) rows[m.kernel].push_back(&m);
  Candidates found;
  for (const Entry& e : registry()) {
    if (!e.ranked() || e.family == Family::reference || e.family == Family::cupy || !e.unavailable.empty())
      continue;
    Problem p = whole;
    if (planes) p.nz = std::clamp<std::int64_t>(planes(all_tunings(e).front()), 1, whole.nz);
    const auto task = study().task_of(p);
    if (!e.not_chosen.empty()) {
      if (by_model(e, p, *task)) leave_out(found.left_out, e);
      continue;
    }
    std::optional<Expected> expected;
    if (const auto row = rows.find(e.name); row != rows.end())
      expected = by_measurements(row->second, p, *task);
    if (!expected) expected = by_record(e, p, recorded, *task);
    if (!expected) expected = by_model(e, p, *task);
    if (!expected) continue;
    expected->planes = p.nz;
    expected->seconds *= double((whole.nz + p.nz - 1) / p.nz);
    found.all.push_back(std::move(*expected));
  }
  put_in_order(found.all);
  return found;
}

std::string rates_file() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache && *cache == '/') return std::string(cache) + "/parity/rates.jsonl";
  return home && *home == '/' ? std::string(home) + "/.cache/parity/rates.jsonl" : "";
}

std::vector<Measurement> read_rates(const std::string& file) {
  std::vector<Measurement> all;
  std::error_code none;
  if (file.empty() || !std::filesystem::exists(file, none)) return all;
  try {
    const std::vector<harness::RecordLine> lines = harness::read_lines(file);
    const std::string threads = harness::this_environment().threads;
    std::set<std::string> runs;
    for (const harness::RecordLine& line : lines)
      if (line.environment && line.environment->threads == threads) runs.insert(line.environment->run.id);
    for (const harness::RecordLine& line : lines)
      if (line.measurement && runs.count(line.measurement->run.id) > 0) all.push_back(*line.measurement);
  } catch (const runtime::UsageError&) {
    all.clear();  // a damaged memory is none
  }
  return all;
}

std::vector<std::int64_t> steps_to_measure(std::int64_t steps, double steps_in_share) {
  // Multiples of what variants do in one pass, as far as a run may be so long.
  const std::int64_t few = steps_in_share >= 240 ? 48 : 8, many = 5 * few;
  if (steps <= many) return {steps};
  return {few, many};
}

std::vector<Measurement> measure_rates(const Problem& p, const Candidates& found, double seconds,
                                       const std::string& file) {
  constexpr std::size_t most_tried = 6;
  constexpr int samples = 5;
  if (found.all.empty()) return {};
  // As many points and steps as the first candidate should do in its share of the time, checks included.
  const double share = seconds / double(2 * most_tried * (samples + 3)), plane = double(p.nx * p.ny),
               points = p.point_steps() * std::min(1.0, share / found.all.front().seconds);
  Problem few = p;
  std::vector<Measurement> rows;
  const auto begin = std::chrono::steady_clock::now();
  const auto in_time = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds;
  };
  const auto measure = [&](const std::vector<Choice>& choices) {
    harness::RunOptions options;
    options.blocks = 1;
    options.repeats = samples;
    options.time_cap = seconds / double(4 * most_tried);
    for (const std::int64_t steps : steps_to_measure(p.steps, points / plane)) {
      few.steps = steps;
      for (Measurement& row : harness::measure(*study().task_of(few), choices, options).rows)
        rows.push_back(std::move(row));
    }
  };
  few.steps = steps_to_measure(p.steps, points / plane).back();
  Problem launch = p;
  if (found.all.front().planes > 0) launch.nz = found.all.front().planes;
  few.nz = std::clamp<std::int64_t>(std::int64_t(std::min(points / double(few.steps), 64e6) / plane), 1,
                                    launch.nz);
  const auto task = study().task_of(few);
  std::vector<Choice> tried;
  for (const Expected& e : found.all) {
    if (tried.size() == most_tried) break;
    if (!task->why_not(e.choice)) tried.push_back(e.choice);
  }
  try {
    measure(tried);
    const Candidates now = candidates(launch, rows);
    if (now.known() && in_time()) {
      const Choice& first = now.all.front().choice;
      std::vector<Choice> others;
      for (const Choice& c : all_tunings(entry_of(first)))
        if (c.name() != first.name() && !task->why_not(c)) others.push_back(c);
      if (!others.empty()) measure(others);
    }
  } catch (const runtime::UsageError&) {
    // No room beside what else runs here: what there is decides.
  }
  if (rows.empty() || file.empty()) return rows;
  try {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    if (damaged(file)) std::filesystem::remove(file);
    harness::RecordFile records(file, harness::Existing::mix);
    if (!records.has_environment()) records.append(harness::this_environment());
    // To be found by their environment: the file may have one of such a run, which this one goes on with.
    for (Measurement row : rows) {
      row.run = harness::this_environment().run;
      records.append(std::move(row));
    }
  } catch (const std::exception&) {
    // Remembering is a convenience: a read-only home must not keep anybody from filtering.
  }
  return rows;
}

std::string candidates_table(const Candidates& found, std::size_t most) {
  const std::vector<Expected>& all = found.all;
  std::string text = fmt::format("  {:<34} {:>12}  {}\n", "variant", "expected", "by");
  for (std::size_t n = 0; n < all.size() && n < most; ++n)
    text += fmt::format("{} {:<34} {:>10.4g} s  {}\n", n == 0 ? "*" : " ", all[n].choice.name(),
                        all[n].seconds, all[n].source);
  if (all.size() > most) text += fmt::format("  and {} more\n", all.size() - most);
  for (const LeftOut& l : found.left_out)
    text += fmt::format("  never chosen: {}: {}\n", fmt::join(l.variants, ", "), l.reason);
  return text;
}

}  // namespace parity::diffusion
