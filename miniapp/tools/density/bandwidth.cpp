// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/bandwidth.hpp"

#include <fftw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/parallel.hpp"
#include "tools/density/repeats.hpp"
#include "tools/density/sorted_samples.hpp"

namespace parity::density {
namespace {

struct Spread {
  double deviation = 0, effective = 0;
};

Spread spread_of(const SampleSet& s) {
  const Summary& all = s.summary();
  require_ordinary(all.range, "the samples");
  const double effective = all.total * all.total / all.squares;
  // The spread of samples that differ only in their last digits is the spread of their rounding.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::fabs(all.mean);
  if (!(effective > 1 && all.variance > rounding * rounding))
    throw runtime::UsageError(
        all.range.least < all.range.greatest && s.weighted() &&
                !(all.variance > rounding * rounding && effective > 1)
            ? fmt::format(
                  "all the weight is on samples of {:.9g}, so that no rule can choose a bandwidth; give "
                  "other weights, or --bandwidth a number",
                  all.mean)
        : all.range.least < all.range.greatest && effective > 1
            ? fmt::format("the samples are {} to {}, so near each other that no rule can choose a bandwidth; "
                          "scale them or give --bandwidth a number",
                          all.range.least, all.range.greatest)
            : std::string(
                  "the samples have no spread, so that no rule can choose a bandwidth; give --bandwidth "
                  "a number"));
  return {std::sqrt(all.variance * effective / (effective - 1)), effective};
}

/// Number of distinct values, and their spacing if all are multiples of one step above 'least', as rounded
/// values are; else 0.
struct Steps {
  double distinct = 1, spacing = 0;
};

Steps steps_of(const SampleSet& s, double least) {
  const SortedSamples sorted(s);
  const Numbers& x = sorted.x;
  const double same = 1e-6 * least;  // treats 0.1 + 0.2 and 0.3 as equal
  Steps steps;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double gap = x[i] - x[i - 1];
    steps.distinct += gap > 0;
    if (gap > same && gap < smallest) smallest = gap;
  }
  bool even = smallest > least;
  for (std::size_t i = 1; even && i < x.size(); ++i) {
    const double gap = (x[i] - x[i - 1]) / smallest;
    even = std::fabs(gap - std::round(gap)) < 1e-3;
  }
  if (even && std::isfinite(smallest)) steps.spacing = smallest;
  return steps;
}

/// Share of the weight in each of 'cells' cells over [lower, lower + length]. Counts in a fixed number of
/// parts, so that the result does not depend on the number of threads.
std::vector<double> histogram_of(const SampleSet& s, double lower, double length, int cells) {
  constexpr std::int64_t parts = 64;
  const std::int64_t n = std::int64_t(s.x().size());
  const Values x = s.x();
  std::vector<std::vector<double>> counts(parts);
  runtime::for_pieces(parts, [&](std::int64_t part) {
    auto& count = counts[std::size_t(part)];
    count.resize(std::size_t(cells));
    for (auto i = std::size_t(n * part / parts); i < std::size_t(n * (part + 1) / parts); ++i) {
      const double at = (x[i] - lower) / length * cells;
      count[at >= cells - 1 ? std::size_t(cells - 1) : at > 0 ? std::size_t(at) : 0] += s.weight(i);
    }
  });
  std::vector<double> histogram(static_cast<std::size_t>(cells));
  for (const auto& count : counts)
    for (std::size_t c = 0; c < histogram.size(); ++c) histogram[c] += count[c] / s.summary().total;
  return histogram;
}

/// Throws if the rule's bandwidth only reflects repeated values.
void require_no_repeats(const SampleSet& s, double h, double deviation, const std::string& rule,
                        int least_count = 3) {
  const RepeatedValues repeats = repeats_shown(s, h, least_count);
  if (!repeats.any()) return;
  const RepeatedValues wide = repeats_shown(s, silverman_bandwidth(s));
  throw runtime::UsageError(
      fmt::format("{}, and {} finds their spacing instead of a bandwidth; {}", repeats.text(), rule,
                  !wide.any()       ? "give --bandwidth silverman or a number"
                  : wide.smooth > 0 ? fmt::format("give --bandwidth {:g} or more", wide.smooth / deviation)
                                    : "take them out, or give --bandwidth a number"));
}

/// Botev's map t -> t - xi gamma^[l](t), l = 7, for the squared cosine coefficients a2, which begin with mode
/// 1.
double isj_map(double t, double n, const std::vector<double>& a2) {
  const auto norm_of_derivative = [&a2](int s, double time) {
    double sum = 0;
    for (std::size_t k = 1; k <= a2.size(); ++k) {
      const double i = double(k) * double(k);
      sum += std::pow(i, s) * a2[k - 1] * std::exp(-i * M_PI * M_PI * time);
    }
    return 2 * std::pow(M_PI, 2 * s) * sum;
  };
  double f = norm_of_derivative(7, t);
  for (int s = 6; s >= 2; --s) {
    double odd = 1;  // (2s-1)!!
    for (int k = 3; k <= 2 * s - 1; k += 2) odd *= k;
    const double constant = (1 + std::pow(0.5, s + 0.5)) / 3;
    const double time = std::pow(2 * constant * odd / std::sqrt(2 * M_PI) / (n * f), 2.0 / (3 + 2 * s));
    f = norm_of_derivative(s, time);
  }
  return t - std::pow(2 * n * std::sqrt(M_PI) * f, -0.4);
}

}  // namespace

double scott_bandwidth(const SampleSet& s) {
  const Spread spread = spread_of(s);
  return spread.deviation * std::pow(spread.effective, -0.2);
}

double silverman_bandwidth(const SampleSet& s) {
  const Spread spread = spread_of(s);
  return spread.deviation * std::pow(0.75 * spread.effective, -0.2);
}

double isj_bandwidth(const SampleSet& s, double deviation) {
  const Spread spread = spread_of(s);
  constexpr int cells = 1 << 14;
  const Range ends = s.summary().range;
  const double range = ends.greatest - ends.least, length = 1.2 * range;
  std::vector<double> histogram = histogram_of(s, ends.least - range / 10, length, cells), cosine(cells);
  const fftw_plan plan =
      fftw_plan_r2r_1d(cells, histogram.data(), cosine.data(), FFTW_REDFT10, FFTW_ESTIMATE);
  // Planning may overwrite the arrays, but FFTW_ESTIMATE does not, so the histogram is intact.
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  std::vector<double> a2;
  for (int k = 1; k < cells; ++k) a2.push_back(cosine[std::size_t(k)] * cosine[std::size_t(k)] / 4);
  const Steps steps = steps_of(s, 2 * length / cells);
  // Rounded samples carry no information about waves shorter than two steps: there the spectrum repeats.
  if (steps.spacing > 0) a2.resize(std::min(a2.size(), std::size_t(std::max(1.0, length / steps.spacing))));
  // Botev counts copies of a sample once. If most samples are copies, they are rounded samples instead.
  const double n =
      s.w().empty() && 2 * steps.distinct >= spread.effective ? steps.distinct : spread.effective;
  // Finds the smallest root that shows no repeated values, by changes of sign from a hundredth of a cell
  // upwards.
  double shows_repeats = 0;
  double low = std::pow(0.01 / cells, 2), value = isj_map(low, n, a2);
  for (double high = low * 1.3; high < 0.2; low = high, high *= 1.3) {
    const double next = isj_map(high, n, a2);
    const bool root = value < 0 && next >= 0;
    value = next;
    if (!root) continue;
    double below = low, above = high;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (below + above);
      (isj_map(middle, n, a2) < 0 ? below : above) = middle;
    }
    const double h = std::sqrt(above) * length;
    if (!repeats_shown(s, h).any()) return h;
    shows_repeats = h;
  }
  if (shows_repeats > 0) require_no_repeats(s, shows_repeats, deviation, "isj");
  throw runtime::UsageError(
      "Improved Sheather-Jones finds no bandwidth for these samples (too few, or far outliers); use "
      "--bandwidth "
      "silverman or a number");
}

double lscv_score(const SampleSet& s, double h) {
  const double total = s.summary().total, peak = 1 / (h * std::sqrt(2 * M_PI));
  const auto at_samples = [&s](double bandwidth) {
    // The sum over samples must be accurate to much less than one sample's own part, 1.
    if (s.x().size() < 2000) return direct_sums(s, s.x(), bandwidth, Kernel{}).values;
    return transform_sums(s, s.x(), bandwidth, 1e-10, true).values;
  };
  const Numbers wide = at_samples(h * std::sqrt(2.0)), narrow = at_samples(h);
  constexpr std::int64_t piece = 1 << 16;
  const auto n = std::int64_t(s.x().size());
  struct Part {
    double square = 0, cross = 0;
  };
  std::vector<Part> parts(std::size_t((n + piece - 1) / piece));
  runtime::for_ranges(n, piece, [&](std::int64_t begin, std::int64_t end) {
    Part part;
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
      const double p = s.weight(i) / total;
      part.square += p * wide[i] / total;
      if (p < 1) part.cross += p * (narrow[i] / total - p) / (1 - p);
    }
    parts[std::size_t(begin / piece)] = part;
  });
  double square = 0, cross = 0;
  for (const Part& part : parts) {
    square += part.square;
    cross += part.cross;
  }
  return peak * (square / std::sqrt(2.0) - 2 * cross);
}

double lscv_bandwidth(const SampleSet& s, double deviation) {
  const double top = 2 * scott_bandwidth(s);
  // From coarse to fine: the criterion may have several minima, so scan the whole range first.
  constexpr int steps = 24;
  constexpr double span = 200, all_scores = 45;
  std::vector<double> bandwidths, scores;
  for (int k = 0; k <= steps; ++k) {
    bandwidths.push_back(top * std::pow(span, double(k) / steps - 1));
    scores.push_back(lscv_score(s, bandwidths.back()));
    s.whole_reached(double(scores.size()), all_scores, "scores");
  }
  const auto best = std::size_t(std::min_element(scores.begin(), scores.end()) - scores.begin());
  if (best == 0) {
    require_no_repeats(s, bandwidths.front(), deviation, "lscv", 2);
    throw runtime::UsageError(fmt::format(
        "least-squares cross-validation falls to the smallest bandwidth tried, {:.3g}, since many "
        "samples lie far closer together than all do; give --bandwidth a number",
        bandwidths.front()));
  }
  double low = std::log(bandwidths[best - 1]),
         high = std::log(bandwidths[std::min(best + 1, bandwidths.size() - 1)]);
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = lscv_score(s, std::exp(a)), at_b = lscv_score(s, std::exp(b));
  for (int refined = 0; high - low > 1e-4; ++refined) {
    s.whole_reached(steps + 3 + refined, all_scores, "scores");
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = lscv_score(s, std::exp(a));
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = lscv_score(s, std::exp(b));
    }
  }
  const double h = std::exp(0.5 * (low + high));
  require_no_repeats(s, h, deviation, "lscv");
  return h;
}

}  // namespace parity::density
