// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/merit.hpp"

#include "analysis/pairs.hpp"

namespace parity::analysis {

Merits merits_of(const std::vector<harness::Measurement>& rows) {
  Merits merits;
  for (const harness::Measurement& m : rows) {
    ++(m.verdict.passed() ? merits.verified : merits.wrong);
    if (!m.comparable() || m.metrics.empty()) continue;
    const harness::Metric& figure = m.metrics.front();
    merits.figures.push_back({m.full_name(), m.problem_text(), figure.name, figure.value, figure.unit});
  }
  for (const Pair& p : pairs_of(rows)) {
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
  return merits;
}

}  // namespace parity::analysis
