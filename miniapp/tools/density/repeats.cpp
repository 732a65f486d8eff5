// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace parity::density {
namespace {

struct Group {
  double x = 0, weight = 0;
  int count = 1;
};

/// Groups of equal samples in ascending order; values closer than 'same' are equal.
std::vector<Group> groups_of(const SampleSet& s, double same) {
  constexpr std::size_t most = 1 << 16;
  const std::size_t n = s.x().size(), m = std::min(n, most);
  std::vector<Group> all, groups;
  for (std::size_t k = 0; k < m; ++k) {
    // Uneven steps, since samples may be periodic.
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

/// The interval of each group's values before rounding: half way to the neighbouring groups or, for a heap
/// among others, to the neighbouring heaps.
struct Cover {
  double from = 0, to = 0;
};
std::vector<Cover> covers_of(const std::vector<Group>& groups, int least_count) {
  std::vector<Cover> covers;
  for (const Group& g : groups) covers.push_back({g.x, g.x});
  for (const bool heaps : {false, true}) {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const double before = k > 0 ? groups[k - 1].weight : 0,
                   after = k + 1 < groups.size() ? groups[k + 1].weight : 0;
      if (groups[k].count >= least_count && (!heaps || groups[k].weight > 2 * std::max(before, after)))
        chosen.push_back(k);
    }
    for (std::size_t i = 0; chosen.size() > 1 && i < chosen.size(); ++i) {
      const double x = groups[chosen[i]].x;
      const double before = i > 0 ? x - groups[chosen[i - 1]].x : groups[chosen[1]].x - x;
      const double after = i + 1 < chosen.size() ? groups[chosen[i + 1]].x - x : before;
      covers[chosen[i]] = {x - before / 2, x + after / 2};
    }
  }
  return covers;
}

/// Counts maxima of a Gaussian estimate that exceed their surroundings by a hundredth of the largest; spreads
/// each group over 'parts' points of its interval. 0 if the grid would be too large.
int maxima_of(const std::vector<Group>& groups, const std::vector<Cover>& covers, double h, int parts) {
  constexpr int per_h = 8, reach = 5 * per_h;
  const double step = h / per_h, start = groups.front().x;
  const double length = (groups.back().x - start) / step;
  if (!(length < 1 << 17)) return 0;
  std::vector<double> mass(std::size_t(length) + 4 * reach), sums(mass.size());
  for (std::size_t k = 0; k < groups.size(); ++k)
    for (int p = 0; p < parts; ++p) {
      const double x = covers[k].from + (covers[k].to - covers[k].from) * (p + 0.5) / parts;
      const double at = std::clamp((x - start) / step + 2 * reach, 0.0, double(mass.size() - 2));
      const auto cell = std::size_t(at);
      mass[cell] += groups[k].weight / parts * (1 - (at - double(cell)));
      mass[cell + 1] += groups[k].weight / parts * (at - double(cell));
    }
  for (std::size_t i = reach; i + reach < mass.size(); ++i)
    for (int d = -reach; mass[i] > 0 && d <= reach; ++d)
      sums[std::size_t(std::ptrdiff_t(i) + d)] += mass[i] * std::exp(-0.5 * d * d / (per_h * per_h));
  const double least = 0.01 * *std::max_element(sums.begin(), sums.end());
  int maxima = 0;
  double turn = 0;
  bool rising = true;
  for (const double sum : sums) {
    turn = rising ? std::max(turn, sum) : std::min(turn, sum);
    if (std::fabs(sum - turn) < least) continue;
    maxima += rising;
    rising = !rising;
    turn = sum;
  }
  return maxima;
}

/// Like shown_in; if no value stands out alone, reports all repeated values that form maxima together.
RepeatedValues shown_by(const std::vector<Group>& groups, double h, int least_count) {
  RepeatedValues found = shown_in(groups, h, least_count);
  if (found.any() || groups.empty()) return found;
  double total = 0, repeated = 0, heaviest = 0;
  RepeatedValues together;
  for (const Group& g : groups) {
    total += g.weight;
    if (g.count < least_count) continue;
    repeated += g.weight;
    if (g.weight > heaviest) heaviest = g.weight, together.value = g.x;
  }
  together.share = repeated / total;
  if (!together.any()) return found;
  const std::vector<Cover> covers = covers_of(groups, least_count);
  std::vector<Cover> places;
  for (const Group& g : groups) places.push_back({g.x, g.x});
  return maxima_of(groups, places, h, 1) > maxima_of(groups, covers, h, 16) ? together : found;
}

}  // namespace

std::string RepeatedValues::text() const {
  return fmt::format("{:.{}f} % of the samples repeat values such as {:.9g}", 100 * share,
                     share < 0.1 ? 1 : 0, value);
}

RepeatedValues repeats_shown(const SampleSet& s, double h, int least_count) {
  const std::vector<Group> groups = groups_of(s, 1e-6 * h);
  RepeatedValues found = shown_by(groups, h, least_count);
  const double range = s.summary().range.greatest - s.summary().range.least;
  for (double wide = h; found.any() && found.smooth == 0 && wide < range;) {
    wide *= 1.1;
    const double digits = std::pow(10.0, std::floor(std::log10(wide)) - 1);
    wide = std::ceil(wide / digits) * digits;
    if (!shown_by(groups, wide, least_count).any()) found.smooth = wide;
  }
  return found;
}

}  // namespace parity::density
