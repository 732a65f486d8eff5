// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare.hpp"

#include <algorithm>
#include <map>

namespace parity::analysis {
namespace {

/// Of several rows with one key the last, as a file that was written later replaces an earlier one.
std::map<std::string, const harness::Measurement*> by_key(const std::vector<harness::Measurement>& rows) {
  std::map<std::string, const harness::Measurement*> found;
  for (const harness::Measurement& m : rows) found[key(m)] = &m;
  return found;
}

/// Of times: from one estimate to another.
Change change_of(const harness::Estimate& before, const harness::Estimate& after, double factor) {
  const bool too_slow = after.value > factor * before.value;
  if (!before.interval || !after.interval) return too_slow ? Change::undecided_slow : Change::undecided;
  if (before.interval->contains(after.value) || after.interval->contains(before.value)) return Change::none;
  return after.value < before.value ? Change::faster : too_slow ? Change::too_slow : Change::slower;
}

/// Whether a row of one side of the pair is there and failed its check, so that there is no pair.
bool has_failed(const std::vector<harness::Measurement>& rows, const Pair& p) {
  return std::any_of(rows.begin(), rows.end(), [&p](const harness::Measurement& m) {
    return !m.verdict.passed() && m.study == p.portable->study && m.problem == p.portable->problem &&
           (m.variant == p.portable->variant || m.kernel == p.native->kernel);
  });
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
    changes.push_back({key, change_of(s, t, factor), s, t});
  }
  return changes;
}

std::vector<Beside> rows_beside(const std::vector<std::vector<harness::Measurement>>& sets, double factor) {
  std::vector<std::map<std::string, const harness::Measurement*>> found;
  for (const auto& rows : sets) found.push_back(by_key(rows));
  std::vector<Beside> all;
  for (const harness::Measurement& m : sets.front()) {
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

std::string place_of(const Pair& p) {
  return p.portable->study + " " + p.portable->variant + " " + p.native->kernel + " " +
         p.portable->problem_text();
}

std::vector<Beside> pairs_beside(const std::vector<std::vector<harness::Measurement>>& sets, double factor) {
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
      // Backwards, because a larger ratio is the faster one.
      b.changes.push_back(b.changes.empty() ? Change::none : change_of(b.in.back(), b.in.front(), factor));
    }
    if (b.in.size() == sets.size() && found.front().at(place_of(p)) == &p) all.push_back(std::move(b));
  }
  return all;
}

}  // namespace parity::analysis
