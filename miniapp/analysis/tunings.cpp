// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/tunings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/pairs.hpp"

namespace parity::analysis {
namespace {

using harness::Measurement;

bool is_same_place(const Measurement& a, const Measurement& b) {
  return a.study == b.study && a.problem == b.problem && a.mechanism == b.mechanism;
}

}  // namespace

std::vector<Tuned> best_tunings(const std::vector<Measurement>& rows) {
  std::vector<Tuned> all;
  std::vector<std::set<std::string>> tunings;
  for (const Measurement& m : rows) {
    if (m.tuning.empty() || !m.comparable()) continue;
    const auto at = std::find_if(all.begin(), all.end(), [&m](const Tuned& t) {
      return is_same_place(*t.best, m) && t.best->kernel == m.kernel;
    });
    const std::size_t k = std::size_t(at - all.begin());
    if (at == all.end()) {
      all.push_back({&m, nullptr, 0});
      tunings.emplace_back();
    }
    Tuned& t = all[k];
    tunings[k].insert(m.tuning);
    t.tried = int(tunings[k].size());
    const double time = m.host().value;
    // Of a tuning that was measured twice the shorter time counts, once.
    if (time < t.best->host().value) {
      if (t.best->tuning != m.tuning) t.second = t.best;
      t.best = &m;
    } else if (t.best->tuning != m.tuning && (!t.second || time < t.second->host().value)) {
      t.second = &m;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Tuned& a, const Tuned& b) {
    return a.best->study != b.best->study ? a.best->study < b.best->study : a.best->problem < b.best->problem;
  });
  return all;
}

std::vector<std::string> unequal_budgets(const std::vector<Measurement>& rows) {
  const std::vector<Tuned> tuned = best_tunings(rows);
  const auto tried = [&tuned](const Measurement& place, const std::string& kernel,
                              const std::string& mechanism) {
    for (const Tuned& t : tuned)
      if (t.best->study == place.study && t.best->problem == place.problem && t.best->kernel == kernel &&
          t.best->mechanism == mechanism)
        return t.tried;
    return 0;
  };
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const Measurement& p : rows) {
    if (p.twin.empty() || !p.comparable() ||
        !seen.insert(p.study + "/" + p.variant + " " + p.problem_text()).second)
      continue;
    const int portable = tried(p, p.kernel, p.mechanism), native = tried(p, p.twin, native_mechanism(p));
    if (portable != native)
      lines.push_back(fmt::format("{} was tried with {} tunings, its twin {} with {}: {}", p.variant,
                                  portable, p.twin, native, p.problem_text()));
  }
  return lines;
}

}  // namespace parity::analysis
