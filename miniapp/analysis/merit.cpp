// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/merit.hpp"

#include <algorithm>

#include "analysis/pairs.hpp"
#include "analysis/portability.hpp"

namespace parity::analysis {

Merits merits_of(const std::vector<harness::Measurement>& rows) {
  Merits merits;
  for (const harness::Measurement& m : rows) {
    ++(m.verdict.passed() ? merits.verified : merits.wrong);
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
    add("starts", p.ratio.blocks);
    add("samples", p.ratio.samples);
  }
  for (const Portability& p : portabilities_of(pairs)) {
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

}  // namespace parity::analysis
