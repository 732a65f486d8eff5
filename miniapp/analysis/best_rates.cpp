// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/best_rates.hpp"

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
  return m.kernel == "kokkos-binned" || m.kernel == "kokkos-transform" || m.kernel == "kokkos-window";
}

bool has_rate(const Measurement& m) {
  return m.comparable() && m.ranked() && !skips_pairs(m) && !m.metrics.empty() &&
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
  /// Problems with both sides come first, then the native rate counts.
  std::tuple<bool, double, double> weight() const {
    return {native && portable, rate(native), rate(portable)};
  }
};

/// The latest run with both sides, or the latest with a native row where none has both, or a portable one.
const Fastest& latest_of(const std::map<std::string, Fastest>& runs) {
  const auto sides = [](const Fastest& f) {
    return 2 * int(f.native != nullptr) + int(f.portable != nullptr);
  };
  auto found = runs.rbegin();
  for (auto r = runs.rbegin(); r != runs.rend(); ++r)
    if (sides(r->second) > sides(found->second)) found = r;
  return found->second;
}

harness::Estimate ratio_of(const Measurement* numerator, const Measurement* denominator) {
  return numerator && denominator ? harness::time_ratio(*numerator, *denominator) : harness::Estimate();
}

}  // namespace

std::vector<BestRate> best_rates_of(const std::vector<Measurement>& rows) {
  using Place = std::tuple<std::string, std::string, std::string>;                // device, study, precision
  std::map<Place, std::map<std::string, std::map<std::string, Fastest>>> places;  // by problem and run
  for (const Measurement& m : rows)
    if (has_rate(m)) places[{m.run.device, m.study, precision_of(m)}][m.problem_text()][m.run.id].add(m);
  std::vector<BestRate> found;
  for (const auto& [place, problems] : places) {
    Fastest best;
    for (const auto& [problem, runs] : problems) {
      const Fastest& f = latest_of(runs);
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
