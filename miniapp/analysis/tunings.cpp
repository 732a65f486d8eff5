// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/tunings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parity::analysis {
namespace {

using harness::Measurement;

bool is_same_place(const Measurement& a, const Measurement& b) {
  return a.study == b.study && a.problem == b.problem && a.mechanism == b.mechanism;
}

}  // namespace

std::vector<Tuned> best_tunings(const std::vector<Measurement>& rows) {
  std::vector<Tuned> all;
  for (const Measurement& m : rows) {
    if (m.tuning.empty() || !m.comparable()) continue;
    auto at = std::find_if(all.begin(), all.end(), [&m](const Tuned& t) {
      return is_same_place(*t.best, m) && t.best->kernel == m.kernel;
    });
    if (at == all.end()) {
      all.push_back({&m, nullptr, 1});
      continue;
    }
    ++at->tried;
    const double time = m.host().value;
    if (time < at->best->host().value) {
      at->second = at->best;
      at->best = &m;
    } else if (!at->second || time < at->second->host().value) {
      at->second = &m;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Tuned& a, const Tuned& b) {
    return a.best->study != b.best->study ? a.best->study < b.best->study : a.best->problem < b.best->problem;
  });
  return all;
}

std::vector<std::string> unequal_budgets(const std::vector<Tuned>& tuned) {
  std::vector<std::string> lines;
  for (const Tuned& portable : tuned)
    for (const Tuned& native : tuned)
      if (native.best->kernel == portable.best->twin && is_same_place(*native.best, *portable.best) &&
          native.tried != portable.tried)
        lines.push_back(fmt::format("{} was tried with {} tunings, {} with {}: {}", portable.best->variant,
                                    portable.tried, native.best->variant, native.tried,
                                    portable.best->problem_text()));
  return lines;
}

}  // namespace parity::analysis
