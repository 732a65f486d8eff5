// SPDX-License-Identifier: BSD-3-Clause
#include "tools/density/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/host_memory.hpp"
#include "runtime/parallel.hpp"
#include "runtime/signals.hpp"
#include "tools/density/check.hpp"
#include "tools/density/of_all_ranks.hpp"
#include "tools/density/sorted_samples.hpp"

namespace parity::density {
namespace {

using runtime::UsageError;

constexpr double most_images = 1000;
constexpr std::int64_t piece = 1 << 16;

/// The positions that need sums: the images of each point in the domain.
struct Images {
  Numbers place;
  std::vector<std::int64_t, runtime::Untouched<std::int64_t>> first;  ///< index by point, and the end

  Values of(std::size_t point) const {
    return {place.data() + first[point], std::size_t(first[point + 1] - first[point])};
  }
};

void check_domain(const SampleSet& s, const DensityOptions& o) {
  if (o.boundary == Boundary::none) return;
  const Range ends = s.summary().range;
  if (!(o.lower < o.upper))
    throw UsageError(fmt::format("--bounds are {} and {}; give {}", o.lower, o.upper,
                                 o.lower > o.upper ? "the lower one first" : "two different ends"));
  if (o.boundary == Boundary::periodic && !(std::isfinite(o.lower) && std::isfinite(o.upper)))
    throw UsageError("--boundary periodic needs both ends of the period: --bounds LOWER,UPPER");
  if (!std::isfinite(o.lower) && !std::isfinite(o.upper))
    throw UsageError(
        "--boundary reflect needs at least one end of the domain: --bounds LOWER,UPPER (inf for none)");
  for (const double end : {o.lower, o.upper})
    if (std::isfinite(end)) require_ordinary({end, end}, "--bounds");
  if (ends.least >= o.lower && ends.greatest <= o.upper) return;
  const auto at =
      std::find_if(s.x().begin(), s.x().end(), [&o](double x) { return x < o.lower || x > o.upper; });
  if (at == s.x().end()) return;  // another rank has it and reports it
  throw UsageError(fmt::format("{}: sample {} is {}, outside of the bounds {} to {}; widen --bounds",
                               o.samples_name, s.before() + (at - s.x().begin()), *at, o.lower, o.upper));
}

void check_options(const SampleSet& s, Values points, const DensityOptions& o) {
  if (!(o.bandwidth >= 1 / largest_number && o.bandwidth <= largest_number))
    throw UsageError(
        fmt::format("--bandwidth is {:g}; give a positive number, {:g} to {:g} (or scale the samples)",
                    o.bandwidth, 1 / largest_number, largest_number));
  if (!(o.tolerance >= 1e-12 && o.tolerance <= 0.1))
    throw UsageError(fmt::format("--tolerance is {:g}; give 1e-12 to 0.1", o.tolerance));
  if (o.kernel.compact() && (o.method == Method::transform || o.method == Method::binned))
    throw UsageError(fmt::format("--method {} is for the Gaussian kernel; '{}' is exact with --method auto",
                                 o.method == Method::transform ? "transform" : "binned", name(o.kernel)));
  require_ordinary(s.summary().range, o.samples_name);
  check_domain(s, o);
  if (!points.empty() && !points.is(s.x())) require_ordinary(range_of(points), o.points_name);
}

/// Maps a point into the period.
double folded(double q, const DensityOptions& o) {
  if (o.boundary != Boundary::periodic || (q >= o.lower && q <= o.upper)) return q;
  const double length = o.upper - o.lower;
  return std::clamp(q - length * std::floor((q - o.lower) / length), o.lower, o.upper);
}

/// Images with no other image between them and the samples; empty for a point outside the domain.
std::vector<double> nearest_images(double point, const DensityOptions& o) {
  const double q = folded(point, o), length = o.upper - o.lower;
  if (q < o.lower || q > o.upper) return {};
  if (o.boundary == Boundary::periodic) return {q, q - length, q + length};
  std::vector<double> all = {q};
  for (const double end : {o.lower, o.upper})
    if (std::isfinite(end)) all.push_back(2 * end - q);
  return all;
}

/// All images of the points; skips images farther than 'reach' from all samples, which add nothing.
Images images_of(const SampleSet& s, Values points, const DensityOptions& o, double reach) {
  const Range ends = s.summary().range;
  const double first = ends.least - reach, last = ends.greatest + reach, length = o.upper - o.lower;
  const bool bounded = std::isfinite(length);
  const double turns = bounded ? std::ceil(reach / length) + 1 : 0;
  if (turns > most_images)
    throw UsageError(
        fmt::format("--bandwidth {:g} is far larger than the domain {} to {}: the density there is flat; "
                    "give a smaller bandwidth",
                    o.bandwidth, o.lower, o.upper));
  const auto for_images = [&](double q, const auto& with) {
    q = folded(q, o);
    const auto offer = [&](double place) {
      if (place >= first && place <= last) with(place);
    };
    if (q < o.lower || q > o.upper) return;
    if (!bounded) {
      offer(q);
      if (std::isfinite(o.lower)) offer(2 * o.lower - q);
      if (std::isfinite(o.upper)) offer(2 * o.upper - q);
      return;
    }
    for (double k = -turns; k <= turns; ++k) {
      if (o.boundary == Boundary::periodic) {
        offer(q + k * length);
      } else {
        offer(q + 2 * k * length);
        offer(2 * o.lower - q + 2 * k * length);
      }
    }
  };
  // A first pass counts the images, so that every thread knows where to write.
  Images images;
  const auto m = std::int64_t(points.size());
  std::vector<std::int64_t> before(std::size_t(m / piece + 2), 0);
  images.first.resize(points.size() + 1);
  runtime::for_ranges(m, piece, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t count = 0;
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
      images.first[i] = count;
      for_images(points[i], [&count](double) { ++count; });
    }
    before[std::size_t(begin / piece + 1)] = count;
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  const std::int64_t all = images.first[points.size()] = before.back();
  if (double(all) * 16 > runtime::free_memory_here().host)
    throw UsageError(
        fmt::format("{}: the images of {} points in the domain need {}; give fewer points or a "
                    "smaller bandwidth",
                    o.points_name, m, runtime::bytes_text(double(all) * 16)));
  images.place.resize(std::size_t(all));
  runtime::for_ranges(m, piece, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t at = before[std::size_t(begin / piece)];
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
      images.first[i] = at;
      for_images(points[i], [&](double place) { images.place[std::size_t(at++)] = place; });
    }
  });
  return images;
}

/// Chooses between direct and transform by the number of pairs on all ranks, if the method is automatic.
Method method_of(const SampleSet& s, std::int64_t queries, const DensityOptions& o) {
  if (o.method != Method::automatic || o.kernel.compact()) return o.method;
  // Up to that many pairs the direct sum takes milliseconds, and it is exact.
  return double(s.count()) * double(queries) <= 4e6 ? Method::direct : Method::transform;
}

Sums sums_of(const SampleSet& s, Values q, Method method, const DensityOptions& o) {
  if (o.kernel.compact())
    return method == Method::direct ? direct_sums(s, q, o.bandwidth, o.kernel)
                                    : prefix_sums(s, q, o.bandwidth, o.kernel);
  switch (method) {
    case Method::direct:
      return direct_sums(s, q, o.bandwidth, o.kernel);
    case Method::automatic:
    case Method::transform:
      return transform_sums(s, q, o.bandwidth, o.tolerance, o.deterministic);
    case Method::binned:
      return binned_sums(s, q, o.bandwidth, o.tolerance);
    case Method::window:
      return window_sums(s, q, o.bandwidth, o.tolerance);
  }
  return {};
}

/// The sums at every rank's own queries; 'all': number of queries on all ranks.
Sums sums_on_all_ranks(const SampleSet& s, Values q, std::int64_t all, const DensityOptions& o) {
  const Method method = method_of(s, all, o);
  Sums sums;
  if (s.shared()) {
    runtime::abort_all_on_error([&] { sums = sums_of(s, q, method, o); });
  } else if (runtime::several_ranks() && method == Method::transform) {
    // The transform's boxes depend on all queries.
    const Numbers queries = of_all_ranks(Numbers(q.begin(), q.end()));
    const std::int64_t first = first_of_this_rank(std::int64_t(q.size()));
    runtime::collective_or_throw([&] { sums = sums_of(s, queries, method, o); });
    const auto begin = sums.values.begin() + first;
    sums.values = Numbers(begin, begin + std::ptrdiff_t(q.size()));
  } else {
    runtime::collective_or_throw([&] { sums = sums_of(s, q, method, o); });
  }
  return sums;
}

/// Logarithms of sums over sorted samples, for densities that underflow or are below 100 error bounds.
class LogSums {
 public:
  LogSums(const SampleSet& s, double h) : h_(h), sorted_(s) {
    if (sorted_.w.empty()) return;
    // A sample with weight 0 must not count as the nearest.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sorted_.x.size(); ++i) {
      if (sorted_.w[i] == 0) continue;
      sorted_.x[kept] = sorted_.x[i];
      sorted_.w[kept++] = sorted_.w[i];
    }
    sorted_.x.resize(kept);
    sorted_.w.resize(kept);
  }
  /// log sum_j w_j exp(-(q - x_j)^2 / (2 h^2)), computed relative to the nearest sample's term, so that
  /// nothing underflows. Omits samples whose term is below 2^-60 of it.
  double operator()(double q) const {
    const Numbers& x = sorted_.x;
    const auto above = std::lower_bound(x.begin(), x.end(), q);
    double nearest = std::numeric_limits<double>::infinity();
    if (above != x.end()) nearest = std::min(nearest, *above - q);
    if (above != x.begin()) nearest = std::min(nearest, q - *(above - 1));
    const double d = nearest / h_, reach = std::sqrt(d * d + 2 * 42.0) * h_;
    double sum = 0;
    for (auto at = std::lower_bound(x.begin(), x.end(), q - reach); at != x.end() && *at <= q + reach; ++at) {
      const double r = std::fabs(q - *at) / h_;
      sum += (sorted_.w.empty() ? 1.0 : sorted_.w[std::size_t(at - x.begin())]) *
             std::exp(-0.5 * (r - d) * (r + d));
    }
    return -0.5 * d * d + std::log(sum);
  }

 private:
  double h_;
  SortedSamples sorted_;
};

/// Sets negative values, which rounding and series may give, to 0; returns the largest value.
double settle(Numbers& values) {
  std::vector<double> largest(values.size() / piece + 1, 0.0);
  runtime::for_ranges(std::int64_t(values.size()), piece, [&](std::int64_t begin, std::int64_t end) {
    double most = 0;
    double* const v = values.data();
#pragma omp simd reduction(max : most)
    for (std::int64_t i = begin; i < end; ++i) {
      v[i] = v[i] < 0 ? 0 : v[i];  // keeps NaN for the check to find
      most = v[i] > most ? v[i] : most;
    }
    largest[std::size_t(begin / piece)] = most;
  });
  return *std::max_element(largest.begin(), largest.end());
}

/// Replaces each value by change(value, its index); throws if a result is not finite.
template <class Change>
void change_all(Numbers& values, bool logarithms, const Change& change) {
  std::atomic<bool> fine{true};
  runtime::for_ranges(std::int64_t(values.size()), piece, [&](std::int64_t begin, std::int64_t end) {
    bool all = true;
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
      const double v = change(values[i], i);
      values[i] = v;
      all &= v - v == 0 || (logarithms && v < 0);
    }
    if (!all) fine = false;
  });
  if (!fine)
    throw runtime::Error(runtime::exit_check_failed,
                         "a computed density is no finite number; " + runtime::what_stays());
}

void take_logarithms(const SampleSet& s, Values points, const DensityOptions& o, double least, double norm,
                     Numbers& values) {
  const double log_norm = std::log(norm);
  const bool plain = o.boundary == Boundary::none;
  std::atomic<bool> small{false};
  change_all(values, true, [&](double v, std::size_t) {
    if (v <= least) small = true;
    return v <= 0 ? -std::numeric_limits<double>::infinity() : std::log(v) + log_norm;
  });
  if (o.kernel.compact() || !small) return;
  // Values below a hundred times their error bound: sum the logarithm again without underflow.
  const LogSums log_sums(s, o.bandwidth);
  s.begin_stage("logarithms");
  const double log_least = std::log(least) + log_norm;
  change_all(values, true, [&](double v, std::size_t i) {
    if (v > log_least) return v;
    if (plain) return log_sums(points[i]) + log_norm;
    double sum = -std::numeric_limits<double>::infinity();
    // The sums' images may all be too far away; the nearest ones contribute all of so small a value.
    for (const double q : nearest_images(points[i], o)) {
      const double one = log_sums(q), high = std::max(sum, one);
      sum = std::isfinite(high) ? high + std::log(std::exp(sum - high) + std::exp(one - high)) : sum;
    }
    return sum + log_norm;
  });
}

/// Points to check, the same on every rank: collected from all ranks, with their positions and values.
struct Checks {
  std::vector<CheckedPoint> points;  ///< 'point' is the index in 'values'
  Numbers values;
};

/// Collects the chosen points from all ranks, by their global index; this rank's points begin at 'first'.
Checks checks_of(const std::vector<std::size_t>& chosen, std::int64_t first, Values points, Values values,
                 const Images* images) {
  Numbers places, found;
  std::vector<std::int64_t> counts;
  for (const std::size_t number : chosen) {
    const std::int64_t i = std::int64_t(number) - first;
    if (i < 0 || i >= std::int64_t(points.size())) continue;
    const Values of_point = images ? images->of(std::size_t(i)) : Values(points.data() + i, 1);
    places.insert(places.end(), of_point.begin(), of_point.end());
    counts.push_back(std::int64_t(of_point.size()));
    found.push_back(values[std::size_t(i)]);
  }
  places = of_all_ranks(places);
  counts = of_all_ranks(counts);
  Checks checks;
  checks.values = of_all_ranks(found);
  auto at = places.begin();
  for (std::size_t k = 0; k < counts.size(); ++k, at += counts[k - 1])
    checks.points.push_back({k, Numbers(at, at + counts[k])});
  return checks;
}

/// Chooses as many points as the number of their near samples allows.
Checks points_to_check(const SampleSet& s, std::int64_t all, Values points, Values values,
                       const Images* images, const DensityOptions& o) {
  const std::int64_t first = first_of_this_rank(std::int64_t(points.size()));
  const auto of = [&](double pairs_a_point) {
    return checks_of(checked_points(std::size_t(all), pairs_a_point), first, points, values, images);
  };
  Checks checks = of(1);
  Numbers places;
  for (const CheckedPoint& p : checks.points) places.insert(places.end(), p.places.begin(), p.places.end());
  if (places.empty()) return checks;
  const double pairs = pairs_of_all(s, places, o.bandwidth, o.kernel);
  return pairs <= most_checked_pairs() ? checks : of(pairs / double(checks.points.size()));
}

}  // namespace

Density estimate(const SampleSet& s, Values points, const DensityOptions& o) {
  runtime::collective_or_throw([&] { check_options(s, points, o); });
  Density result;
  const double reach = o.kernel.compact() ? o.bandwidth : 40 * o.bandwidth;
  const bool plain = o.boundary == Boundary::none;
  Images images;
  runtime::collective_or_throw([&] {
    if (!plain) images = images_of(s, points, o, reach);
  });
  const Values places = plain ? points : Values(images.place);
  const std::int64_t all_points = count_of_all_ranks(std::int64_t(points.size())),
                     all_places = count_of_all_ranks(std::int64_t(places.size()));
  Numbers values;
  if (plain || all_places > 0) {
    Sums sums = sums_on_all_ranks(s, places, all_places, o);
    result.method = sums.method;
    result.bound = sums.bound;
    values = std::move(sums.values);
  } else {
    result.method = "none, since no sample is within reach of a point in the domain";
  }
  if (!plain) {
    const Numbers of_images = std::move(values);
    values = Numbers(points.size());
    runtime::collective_or_throw([&] {
      change_all(values, false, [&](double, std::size_t i) {
        double sum = 0;
        for (std::int64_t k = images.first[i]; k < images.first[i + 1]; ++k) sum += of_images[std::size_t(k)];
        return sum;
      });
    });
  }
  const double largest_value = runtime::largest(settle(values));

  const double images_a_point =
      plain || all_points == 0 ? 1.0 : std::max(1.0, double(all_places) / double(all_points));
  Found found;
  runtime::abort_all_on_error([&] {
    const Checks checks = points_to_check(s, all_points, points, values, plain ? nullptr : &images, o);
    found = find_error(s, checks.points, checks.values, largest_value, o.bandwidth, o.kernel);
    if (!(found.error <= images_a_point * result.bound + 1e-12))
      found = relative_to_samples(found, s, o.bandwidth, o.kernel);
  });
  result.checked = found.error;
  result.checks = found.checks;
  result.fewer_checks = found.checks < std::min(all_points, wanted_checks);
  // The images of a point share one query's samples, so their errors add up to at most those of the
  // neighbours that they stand for. The bound is relative to the largest density anywhere, which a few points
  // may miss by far; that density is at most the total weight.
  const double anywhere =
      all_points >= 64 || found.largest <= 0 ? 2.0 : std::max(1.0, s.summary().total / found.largest);
  require_within(found, images_a_point * result.bound * anywhere + 1e-12);

  s.begin_stage("scale");
  const double norm = o.kernel.peak() / (s.summary().total * o.bandwidth);
  runtime::collective_or_throw([&] {
    if (o.logarithm)
      take_logarithms(s, points, o, std::max(100 * result.bound * found.largest, 1e-290), norm, values);
    else
      change_all(values, false, [norm](double v, std::size_t) { return v * norm; });
  });
  result.values = std::move(values);
  return result;
}

}  // namespace parity::density
