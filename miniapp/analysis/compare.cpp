// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare.hpp"

#include <map>

namespace parity::analysis {
namespace {

/// Of several rows with one key the last, as a file that was written later replaces an earlier one.
std::map<std::string, const harness::Measurement*> by_key(const std::vector<harness::Measurement>& rows) {
  std::map<std::string, const harness::Measurement*> found;
  for (const harness::Measurement& m : rows) found[key(m)] = &m;
  return found;
}

}  // namespace

std::vector<Changed> compare(const std::vector<harness::Measurement>& before,
                             const std::vector<harness::Measurement>& after, double factor) {
  const auto old_rows = by_key(before);
  std::vector<Changed> changes;
  for (const auto& [key, row] : by_key(after)) {
    const auto old = old_rows.find(key);
    if (!row->verdict.passed()) {
      changes.push_back({key, Change::wrong, {}, {}});
      continue;
    }
    if (old == old_rows.end() || !old->second->verdict.passed() || !old->second->timed() || !row->timed())
      continue;
    const harness::Estimate s = old->second->host(), t = row->host();
    Changed c{key, Change::none, s, t};
    if (!s.interval || !t.interval)
      c.change = t.value > factor * s.value ? Change::undecided_slow : Change::undecided;
    else if (!s.interval->contains(t.value) && !t.interval->contains(s.value))
      c.change = t.value < s.value            ? Change::faster
                 : t.value > factor * s.value ? Change::too_slow
                                              : Change::slower;
    changes.push_back(c);
  }
  return changes;
}

}  // namespace parity::analysis
