// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/best_rates.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace parity::analysis {
namespace {

using harness::Family;
using harness::Measurement;

std::string precision_of(const Measurement& m) {
  const auto at = m.problem.find("precision");
  return at == m.problem.end() ? std::string() : harness::to_string(at->second);
}

/// Their rates count pairs that they never compute.
bool skips_pairs(const Measurement& m) {
  return m.kernel == "kokkos-binned" || m.kernel == "kokkos-transform" ||
         m.kernel == "kokkos-transform-ranks" || m.kernel == "kokkos-window";
}

/// What several ranks do together is no rate of a device.
bool of_several_ranks(const Measurement& m) {
  for (const char* axis : {"ranks", "ranks_x", "ranks_y", "ranks_z"})
    if (m.problem.count(axis) && m.integer(axis) > 1) return true;
  return false;
}

bool has_rate(const Measurement& m) {
  return m.comparable() && m.ranked() && !skips_pairs(m) && !of_several_ranks(m) && !m.metrics.empty() &&
         m.metrics.front().better == harness::Better::higher;
}

double rate(const Measurement* m) { return m ? m->metrics.front().value : 0; }

/// What the original works measured first.
bool is_original(const Measurement& m) {
  return m.mechanism == "stream" &&
         (m.kernel == "cuda-baseline" || m.kernel == "openmp-baseline" || m.kernel == "cuda-original-fixed");
}

/// Of one run and problem.
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
  /// Whether each side that there is has an interval: one start of a program may be a lucky one.
  bool known() const {
    const auto known = [](const Measurement* m) { return !m || m->host().interval.has_value(); };
    return (native || portable) && known(native) && known(portable);
  }
  /// Problems with both sides come first, of these such with intervals, then the native rate counts.
  std::tuple<bool, bool, double, double> weight() const {
    return {native && portable, known(), rate(native), rate(portable)};
  }
};

/// Of one problem, by run. A later run takes the place of an earlier one whose fastest rows it has too, with
/// intervals where they have them: elsewhere it only lacks what was fastest, or says less of it.
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
    std::map<std::string, bool> intervals;  // by row
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

harness::Estimate ratio_of(const Measurement* numerator, const Measurement* denominator) {
  return numerator && denominator ? harness::time_ratio(*numerator, *denominator) : harness::Estimate();
}

}  // namespace

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
    if (!best.native && !best.portable) continue;  // a script's rows alone
    found.push_back({std::get<0>(place), std::get<1>(place), std::get<2>(place), best.native, best.portable,
                     best.original, ratio_of(best.native, best.portable),
                     ratio_of(best.original, best.native), ratio_of(best.original, best.portable)});
  }
  return found;
}

}  // namespace parity::analysis
