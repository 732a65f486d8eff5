// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/comparison.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "harness/statistics.hpp"

namespace parity::analysis {

namespace {

bool counts(const Implementation& cell) {
  return cell.row && cell.speed.processes > 0 && cell.row->mechanism == "stream" && !cell.row->floor &&
         !cell.row->metrics.empty() && cell.row->metrics.front().better == harness::Better::higher;
}

struct Mean {
  double inverse = 0;
  int count = 0;
  void add(double value) {
    inverse += 1 / value;
    ++count;
  }
  double value() const { return count > 0 ? count / inverse : 0; }
};

}  // namespace

std::vector<Portability> portabilities_of(const std::vector<Measurement>& rows) {
  // The latest cells of each platform, by algorithm; a run's name begins with its time.
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::map<std::string, Cells>>> studies;
  for (const Cells& c : cells_of(rows)) {
    const Measurement& native = c.fastest_native();
    if (native.floor) continue;
    const auto [kept, is_new] =
        studies[{c.study, native.problem_text()}][native.run.device].try_emplace(c.algorithm, c);
    if (!is_new && kept->second.fastest_native().run.id < native.run.id) kept->second = c;
  }
  std::vector<Portability> found;
  for (const auto& [place, platforms] : studies)
    for (const bool best : {false, true}) {
      Portability p{place.first, place.second, best, 0, {}};
      for (const auto& [platform, algorithms] : platforms) {
        Mean one;
        for (const auto& [algorithm, c] : algorithms) {
          double speed = 0;
          for (const Cells::Which which : {Cells::kokkos, Cells::kokkos_tuned, Cells::kokkos_only})
            if (counts(c[which]) && (best || which == Cells::kokkos))
              speed = std::max(speed, c[which].speed.value);
          if (speed > 0) one.add(speed);
        }
        p.platforms.push_back({platform, one.value(), one.count});
      }
      std::stable_sort(p.platforms.begin(), p.platforms.end(),
                       [](const Efficiency& a, const Efficiency& b) { return a.value > b.value; });
      Mean all;
      bool everywhere = true;
      for (const Efficiency& e : p.platforms) {
        if (e.pairs > 0) all.add(e.value);
        everywhere = everywhere && e.pairs > 0;
      }
      if (everywhere) p.value = all.value();
      if (all.count > 0) found.push_back(std::move(p));
    }
  return found;
}

namespace {

using harness::Family;

std::string precision_of(const Measurement& m) {
  const auto at = m.problem.find("precision");
  return at == m.problem.end() ? std::string() : harness::to_string(at->second);
}

/// True if a method's rate counts pairs that it never computes.
bool skips_pairs(const Measurement& m) {
  return m.kernel == "kokkos-binned" || m.kernel == "kokkos-transform" ||
         m.kernel == "kokkos-transform-ranks" || m.kernel == "kokkos-window";
}

bool has_rate(const Measurement& m) {
  return m.comparable() && !m.floor && !skips_pairs(m) && !of_several_ranks(m) && !m.metrics.empty() &&
         m.metrics.front().better == harness::Better::higher;
}

double rate(const Measurement* m) { return m ? m->metrics.front().value : 0; }

/// The version that the original works measured first.
bool is_original(const Measurement& m) {
  return m.mechanism == "stream" &&
         (m.kernel == "cuda-baseline" || m.kernel == "openmp-baseline" || m.kernel == "cuda-original-fixed");
}

struct Fastest {
  const Measurement *native = nullptr, *portable = nullptr, *original = nullptr;
  void add(const Measurement& m) {
    const auto keep = [&m](const Measurement*& kept) {
      if (!kept || m.host().value < kept->host().value) kept = &m;
    };
    if (m.family == Family::kokkos) keep(portable);
    if (m.family == Family::cuda || m.family == Family::openmp) keep(native);
    if (is_original(m)) keep(original);
  }
  /// True if each side that exists has an interval: a single process may be a lucky one.
  bool known() const {
    const auto known = [](const Measurement* m) { return !m || m->host().interval.has_value(); };
    return (native || portable) && known(native) && known(portable);
  }
  /// Problems with both sides come first, then those with intervals, then the native rate counts.
  std::tuple<bool, bool, double, double> weight() const {
    return {native && portable, known(), rate(native), rate(portable)};
  }
};

/// The runs of one problem. A later run replaces one if it has its fastest results, with as many intervals.
class Runs {
 public:
  void add(const Measurement& m) {
    runs_[m.run.id].fastest.add(m);
    runs_[m.run.id].intervals[m.name()] |= m.host().interval.has_value();
  }
  Fastest best() const {
    Fastest found;
    for (auto run = runs_.begin(); run != runs_.end(); ++run) {
      const auto replaces = [&run](const auto& later) { return later.second.replaces(run->second); };
      if (std::any_of(std::next(run), runs_.end(), replaces)) continue;
      if (run->second.fastest.weight() > found.weight()) found = run->second.fastest;
    }
    return found;
  }

 private:
  struct Run {
    Fastest fastest;
    std::map<std::string, bool> intervals;  // by result
    bool replaces(const Run& earlier) const {
      const auto has = [this](const Measurement* m) {
        if (!m) return true;
        const auto own = intervals.find(m->name());
        return own != intervals.end() && (own->second || !m->host().interval);
      };
      return has(earlier.fastest.native) && has(earlier.fastest.portable);
    }
  };
  std::map<std::string, Run> runs_;
};

Estimate ratio_of(const Measurement* numerator, const Measurement* denominator) {
  return numerator && denominator ? harness::time_ratio(*numerator, *denominator) : Estimate();
}

}  // namespace

bool of_several_ranks(const Measurement& m) {
  for (const char* axis : {"ranks", "ranks_x", "ranks_y", "ranks_z"})
    if (m.problem.count(axis) && m.integer(axis) > 1) return true;
  return false;
}

std::vector<BestRate> best_rates_of(const std::vector<Measurement>& rows) {
  using Place = std::tuple<std::string, std::string, std::string>;  // device, study, precision
  std::map<Place, std::map<std::string, Runs>> places;              // by problem
  for (const Measurement& m : rows)
    if (has_rate(m)) places[{m.run.device, m.study, precision_of(m)}][m.problem_text()].add(m);
  std::vector<BestRate> found;
  for (const auto& [place, problems] : places) {
    Fastest best;
    for (const auto& [problem, runs] : problems) {
      const Fastest f = runs.best();
      if (f.weight() > best.weight()) best = f;
    }
    if (!best.native && !best.portable) continue;  // only a script's results
    found.push_back({std::get<0>(place), std::get<1>(place), std::get<2>(place), best.native, best.portable,
                     best.original, ratio_of(best.native, best.portable),
                     ratio_of(best.original, best.native), ratio_of(best.original, best.portable)});
  }
  return found;
}

namespace {

/// The last result of each key, as a file that was written later replaces an earlier one.
std::map<std::string, const Measurement*> by_key(const std::vector<Measurement>& rows) {
  std::map<std::string, const Measurement*> found;
  for (const Measurement& m : rows) found[key(m)] = &m;
  return found;
}

Change change_of(const Estimate& before, const Estimate& after, double factor) {
  const bool too_slow = after.value > factor * before.value;
  if (!before.interval || !after.interval) return too_slow ? Change::undecided_slow : Change::undecided;
  if (before.interval->contains(after.value) || after.interval->contains(before.value)) return Change::none;
  return after.value < before.value ? Change::faster : too_slow ? Change::too_slow : Change::slower;
}

/// True if a result of one side of the pair exists but failed its check, so that there is no pair.
bool has_failed(const std::vector<Measurement>& rows, const Pair& p) {
  return std::any_of(rows.begin(), rows.end(), [&p](const Measurement& m) {
    return !m.verdict.passed() && m.study == p.portable->study && m.problem == p.portable->problem &&
           (m.variant == p.portable->variant || m.kernel == p.native->kernel);
  });
}

}  // namespace

std::vector<Beside> rows_beside(const std::vector<std::vector<Measurement>>& sets, double factor) {
  std::vector<std::map<std::string, const Measurement*>> found;
  for (const auto& rows : sets) found.push_back(by_key(rows));
  std::vector<Beside> all;
  for (const Measurement& m : sets.front()) {
    if (found.front().at(key(m)) != &m || !m.verdict.passed()) continue;
    Beside b{m.study, m.name(), m.problem, m.family, {}, {}};
    for (const auto& rows : found) {
      const auto at = rows.find(key(m));
      if (at == rows.end() || (at->second->verdict.passed() && !at->second->timed())) break;
      b.in.push_back(at->second->host());
      b.changes.push_back(!at->second->verdict.passed() ? Change::wrong
                          : b.changes.empty()           ? Change::none
                                                        : change_of(b.in.front(), b.in.back(), factor));
    }
    if (b.in.size() == sets.size()) all.push_back(std::move(b));
  }
  return all;
}

std::vector<Beside> pairs_beside(const std::vector<std::vector<Measurement>>& sets, double factor) {
  std::vector<std::vector<Pair>> pairs;
  std::vector<std::map<std::string, const Pair*>> found(sets.size());
  for (const auto& rows : sets) pairs.push_back(pairs_of(rows));
  for (std::size_t k = 0; k < sets.size(); ++k)
    for (const Pair& p : pairs[k]) found[k][place_of(p)] = &p;
  std::vector<Beside> all;
  for (const Pair& p : pairs.front()) {
    Beside b{p.portable->study,
             p.portable->variant + " / " + p.native->kernel,
             p.portable->problem,
             p.portable->family,
             {},
             {}};
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto at = found[k].find(place_of(p));
      if (at == found[k].end()) {
        if (!has_failed(sets[k], p)) break;
        b.in.push_back({});
        b.changes.push_back(Change::wrong);
        continue;
      }
      b.in.push_back(at->second->ratio);
      // Reversed, because a larger ratio is the faster one.
      b.changes.push_back(b.changes.empty() ? Change::none : change_of(b.in.back(), b.in.front(), factor));
    }
    if (b.in.size() == sets.size() && found.front().at(place_of(p)) == &p) all.push_back(std::move(b));
  }
  return all;
}

Merits merits_of(const std::vector<Measurement>& rows) {
  Merits merits;
  for (const Measurement& m : rows) {
    ++(!m.verdict.passed() ? merits.wrong : m.verdict.caveat.empty() ? merits.verified : merits.unreliable);
    if (!m.comparable() || m.metrics.empty()) continue;
    const harness::Metric& figure = m.metrics.front();
    merits.figures.push_back({m.full_name(), m.problem_text(), figure.name, figure.value, figure.unit});
  }
  const std::vector<Pair> pairs = pairs_of(rows);
  for (const Pair& p : pairs) {
    const auto add = [&](const char* metric, double value) {
      merits.figures.push_back({p.portable->full_name(), p.portable->problem_text(),
                                std::string(metric) + ":" + p.native->name(), value, "1"});
    };
    add("ratio", p.ratio.value);
    if (p.ratio.interval) {
      add("ratio_low", p.ratio.interval->low);
      add("ratio_high", p.ratio.interval->high);
    }
    add("starts", p.ratio.processes);
    add("samples", p.ratio.samples);
  }
  for (const Portability& p : portabilities_of(rows)) {
    const auto add = [&](const std::string& metric, double value) {
      merits.figures.push_back(
          {p.study + (p.best ? "/best-portable" : "/idiomatic"), p.problem, metric, value, "1"});
    };
    add("portability", p.value);
    for (const Efficiency& e : p.platforms) {
      std::string platform = e.platform;
      std::replace(platform.begin(), platform.end(), ' ', '_');
      add("efficiency:" + platform, e.value);
      add("pairs:" + platform, e.pairs);
    }
  }
  return merits;
}

std::vector<PairsByVersion> pairs_by_version(const std::vector<Measurement>& rows) {
  const auto numbers = [](const std::string& version) {
    std::array<int, 3> parts{};
    std::sscanf(version.c_str(), "%d.%d.%d", &parts[0], &parts[1], &parts[2]);
    return parts;
  };
  std::map<std::string, std::map<std::array<int, 3>, std::string>> versions;  // by device
  std::map<std::array<std::string, 3>, Pair> latest;                          // device, place, version
  std::vector<std::pair<std::string, std::string>> order;                     // device, place
  std::map<std::string, std::size_t> problems;
  for (const Pair& p : pairs_of(rows)) {
    const harness::RunIdentity& run = p.portable->run;
    if (run.kokkos.empty()) continue;
    versions[run.device].emplace(numbers(run.kokkos), run.kokkos);
    problems.try_emplace(p.portable->study + p.portable->problem_text(), problems.size());
    const std::pair line(run.device, place_of(p));
    if (std::find(order.begin(), order.end(), line) == order.end()) order.push_back(line);
    Pair& kept = latest[{run.device, line.second, run.kokkos}];
    if (!kept.portable || kept.portable->run.id < run.id) kept = p;
  }
  std::vector<PairsByVersion> all;
  for (const auto& [device, named] : versions) {
    if (named.size() < 2) continue;
    PairsByVersion found{device, {}, {}};
    for (const auto& [parts, version] : named) found.versions.push_back(version);
    for (const auto& [on, place] : order) {
      if (on != device) continue;
      std::vector<Pair>& line = found.lines.emplace_back();
      for (const std::string& version : found.versions) line.push_back(latest[{device, place, version}]);
    }
    std::stable_sort(found.lines.begin(), found.lines.end(), [&problems](const auto& a, const auto& b) {
      const auto key = [&problems](const std::vector<Pair>& line) {
        const Measurement& m =
            *std::find_if(line.begin(), line.end(), [](auto& p) { return p.portable; })->portable;
        return std::pair(problems.at(m.study + m.problem_text()), m.variant);
      };
      return key(a) < key(b);
    });
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace parity::analysis
