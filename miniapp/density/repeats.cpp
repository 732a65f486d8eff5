// SPDX-License-Identifier: BSD-3-Clause
#include "density/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace parity::density {
namespace {

/// Samples of one value.
struct Group {
  double x = 0, weight = 0;
  int count = 1;
};

/// In ascending order; values nearer than 'same' are one.
std::vector<Group> groups_of(const SampleSet& s, double same) {
  constexpr std::size_t most = 1 << 16;
  const std::size_t n = s.x().size(), m = std::min(n, most);
  std::vector<Group> all, groups;
  for (std::size_t k = 0; k < m; ++k) {
    // Uneven steps, since samples may have a period.
    const double turn = n > m ? 0.6180339887 * double(k) : 0;
    const std::size_t i =
        std::min(n - 1, std::size_t((double(k) + turn - std::floor(turn)) * (double(n) / double(m))));
    if (s.weight(i) > 0) all.push_back({s.x()[i], s.weight(i)});
  }
  std::sort(all.begin(), all.end(), [](const Group& a, const Group& b) { return a.x < b.x; });
  for (const Group& g : all)
    if (groups.empty() || g.x - groups.back().x > same) {
      groups.push_back(g);
    } else {
      groups.back().weight += g.weight;
      ++groups.back().count;
    }
  return groups;
}

RepeatedValues shown_in(const std::vector<Group>& groups, double h, int least_count) {
  RepeatedValues found;
  double total = 0, shown = 0, heaviest = 0;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Group& g = groups[k];
    total += g.weight;
    if (g.count < least_count) continue;
    double others = 0;
    const auto hides = [&](const Group& other) {
      const double d = (other.x - g.x) / h;
      others += other.weight * std::exp(-0.5 * d * d);
      return std::fabs(d) > 6 || 3 * others > g.weight;
    };
    for (std::size_t up = k + 1; up < groups.size() && !hides(groups[up]); ++up) {
    }
    for (std::size_t down = k; down > 0 && !hides(groups[down - 1]); --down) {
    }
    if (3 * others > g.weight) continue;
    shown += g.weight;
    if (g.weight > heaviest) heaviest = g.weight, found.value = g.x;
  }
  found.share = total > 0 ? shown / total : 0;
  return found;
}

}  // namespace

std::string RepeatedValues::text() const {
  return fmt::format("{:.{}f} % of the samples repeat values such as {:.9g}", 100 * share,
                     share < 0.1 ? 1 : 0, value);
}

RepeatedValues repeats_shown(const SampleSet& s, double h, int least_count) {
  const std::vector<Group> groups = groups_of(s, 1e-6 * h);
  RepeatedValues found = shown_in(groups, h, least_count);
  const double range = s.summary().range.greatest - s.summary().range.least;
  for (double wide = h; found.any() && found.smooth == 0 && wide < range;) {
    wide *= 1.1;
    const double digits = std::pow(10.0, std::floor(std::log10(wide)) - 1);
    wide = std::ceil(wide / digits) * digits;
    if (!shown_in(groups, wide, least_count).any()) found.smooth = wide;
  }
  return found;
}

}  // namespace parity::density
