// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/portability.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace parity::analysis {
namespace {

using harness::Measurement;

bool counts(const Pair& p) {
  const auto& metrics = p.portable->metrics;
  return p.portable->mechanism == "stream" && p.portable->ranked() && p.native->ranked() &&
         !metrics.empty() && metrics.front().better == harness::Better::higher;
}

/// Harmonic mean of what was added.
struct Mean {
  double inverse = 0;
  int count = 0;
  void add(double value) {
    inverse += 1 / value;
    ++count;
  }
  double value() const { return count > 0 ? count / inverse : 0; }
};

/// The latest pair of each column.
struct Latest {
  const Pair *idiomatic = nullptr, *best = nullptr;
  static void keep(const Pair*& kept, const Pair* pair) {
    // A run's name begins with its time.
    if (pair && (!kept || kept->native->run.id < pair->native->run.id)) kept = pair;
  }
};

/// Of a platform, by native kernel.
using ByTwin = std::map<std::string, Latest>;

}  // namespace

std::vector<Portability> portabilities_of(const std::vector<Pair>& pairs) {
  const std::vector<Columns> columns = columns_of(pairs);
  std::map<std::pair<std::string, std::string>, std::map<std::string, ByTwin>> studies;
  for (const Columns& c : columns) {
    if (!counts(*c.best)) continue;
    const Measurement& native = *c.best->native;
    Latest& kept = studies[{native.study, native.problem_text()}][native.run.device][native.kernel];
    Latest::keep(kept.idiomatic, c.idiomatic);
    Latest::keep(kept.best, c.best);
  }
  std::vector<Portability> found;
  for (const auto& [place, platforms] : studies)
    for (const bool best : {false, true}) {
      Portability p{place.first, place.second, best, 0, {}, {}};
      for (const auto& [platform, twins] : platforms) {
        Mean one;
        for (const auto& [kernel, c] : twins)
          if (const Pair* const pair = best ? c.best : c.idiomatic) one.add(pair->ratio.value);
        p.platforms.push_back({platform, one.value(), one.count});
      }
      std::stable_sort(p.platforms.begin(), p.platforms.end(),
                       [](const Efficiency& a, const Efficiency& b) { return a.value > b.value; });
      Mean all;
      for (const Efficiency& e : p.platforms) {
        if (e.pairs > 0) all.add(e.value);
        p.cascade.push_back(e.pairs > 0 ? all.value() : 0);
      }
      if (!p.cascade.empty()) p.value = p.cascade.back();
      if (all.count > 0) found.push_back(std::move(p));
    }
  return found;
}

}  // namespace parity::analysis
