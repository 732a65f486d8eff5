// SPDX-License-Identifier: BSD-3-Clause
#include "density/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kde/expansion.hpp"
#include "runtime/error.hpp"

namespace parity::density {
namespace {

using runtime::UsageError;

constexpr double most_images = 1000;

/// Where sums are needed: the points themselves, and for a domain their images.
struct Images {
  std::vector<double> place;
  std::vector<std::size_t> owner;  ///< the point each belongs to, ascending

  /// The images of one point.
  std::vector<double> of(std::size_t point) const {
    const auto range = std::equal_range(owner.begin(), owner.end(), point);
    return {place.begin() + (range.first - owner.begin()), place.begin() + (range.second - owner.begin())};
  }
};

void check_options(const Samples& s, const DensityOptions& o) {
  if (!(o.bandwidth > 0 && std::isfinite(o.bandwidth)))
    throw UsageError(fmt::format("the bandwidth is {}; give a positive number", o.bandwidth));
  if (!(o.tolerance >= 1e-12 && o.tolerance <= 0.1))
    throw UsageError(fmt::format("the tolerance is {}; give 1e-12 to 0.1", o.tolerance));
  if (o.kernel.compact() && (o.method == Method::transform || o.method == Method::binned))
    throw UsageError(fmt::format("--method {} is for the Gaussian kernel; '{}' is exact with --method auto",
                                 o.method == Method::transform ? "transform" : "binned", name(o.kernel)));
  if (o.boundary == Boundary::none) return;
  if (!(o.lower < o.upper))
    throw UsageError(fmt::format("the bounds are {} and {}; give the lower one first", o.lower, o.upper));
  if (o.boundary == Boundary::periodic && !(std::isfinite(o.lower) && std::isfinite(o.upper)))
    throw UsageError("--boundary periodic needs both ends of the period: --bounds LOWER,UPPER");
  if (!std::isfinite(o.lower) && !std::isfinite(o.upper))
    throw UsageError(
        "--boundary reflect needs at least one end of the domain: --bounds LOWER,UPPER (inf for none)");
  for (std::size_t i = 0; i < s.x.size(); ++i)
    if (s.x[i] < o.lower || s.x[i] > o.upper)
      throw UsageError(fmt::format("sample {} is {}, outside of the bounds {} to {}; widen --bounds", i,
                                   s.x[i], o.lower, o.upper));
}

/// Images farther than 'reach' from all samples add nothing.
Images images_of(const Samples& s, const std::vector<double>& points, const DensityOptions& o, double reach) {
  Images images;
  const auto ends = std::minmax_element(s.x.begin(), s.x.end());
  const double first = *ends.first - reach, last = *ends.second + reach, length = o.upper - o.lower;
  const bool bounded = std::isfinite(length);
  const double turns = bounded ? std::ceil(reach / length) + 1 : 0;
  if (turns > most_images)
    throw UsageError(
        fmt::format("the bandwidth {} is far larger than the domain {} to {}: the density there is flat; "
                    "give a smaller bandwidth",
                    o.bandwidth, o.lower, o.upper));
  const auto add = [&](double place, std::size_t owner) {
    if (place < first || place > last) return;
    images.place.push_back(place);
    images.owner.push_back(owner);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double q = points[i];
    if (q < o.lower || q > o.upper) continue;
    if (!bounded) {
      add(q, i);
      if (std::isfinite(o.lower)) add(2 * o.lower - q, i);
      if (std::isfinite(o.upper)) add(2 * o.upper - q, i);
      continue;
    }
    for (double k = -turns; k <= turns; ++k) {
      if (o.boundary == Boundary::periodic) {
        add(q + k * length, i);
      } else {
        add(q + 2 * k * length, i);
        add(2 * o.lower - q + 2 * k * length, i);
      }
    }
  }
  return images;
}

Sums sums_of(const Samples& s, const std::vector<double>& q, const DensityOptions& o) {
  const double pairs = double(s.x.size()) * double(q.size());
  if (o.kernel.compact())
    return o.method == Method::direct ? direct_sums(s, q, o.bandwidth, o.kernel)
                                      : prefix_sums(s, q, o.bandwidth, o.kernel);
  switch (o.method) {
    case Method::automatic:
      // Below that the direct sum takes milliseconds, and is exact.
      return pairs <= 4e6 ? direct_sums(s, q, o.bandwidth, o.kernel)
                          : transform_sums(s, q, o.bandwidth, o.tolerance, o.deterministic);
    case Method::direct:
      return direct_sums(s, q, o.bandwidth, o.kernel);
    case Method::transform:
      return transform_sums(s, q, o.bandwidth, o.tolerance, o.deterministic);
    case Method::binned:
      return binned_sums(s, q, o.bandwidth, o.tolerance);
    case Method::window:
      return window_sums(s, q, o.bandwidth, o.tolerance);
  }
  return {};
}

/// Samples in ascending order, for the points whose density underflows or is less than its own error bound.
class LogSums {
 public:
  LogSums(const Samples& s, double h) : h_(h) {
    std::vector<std::size_t> order(s.x.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&s](std::size_t a, std::size_t b) { return s.x[a] < s.x[b]; });
    for (const std::size_t i : order) {
      if (!s.w.empty() && s.w[i] == 0) continue;  // it must not be taken for the nearest
      x_.push_back(s.x[i]);
      w_.push_back(s.w.empty() ? 1.0 : s.w[i]);
    }
  }
  /// log sum_j w_j exp(-(q - x_j)^2 / (2 h^2)), relative to the nearest sample's term: no underflow. Samples
  /// whose term is below 2^-60 of that are left out.
  double operator()(double q) const {
    const auto above = std::lower_bound(x_.begin(), x_.end(), q);
    double nearest = std::numeric_limits<double>::infinity();
    if (above != x_.end()) nearest = std::min(nearest, *above - q);
    if (above != x_.begin()) nearest = std::min(nearest, q - *(above - 1));
    const double d = nearest / h_, reach = std::sqrt(d * d + 2 * 42.0) * h_;
    double sum = 0;
    for (auto at = std::lower_bound(x_.begin(), x_.end(), q - reach); at != x_.end() && *at <= q + reach;
         ++at) {
      const double r = std::fabs(q - *at) / h_;
      sum += w_[std::size_t(at - x_.begin())] * std::exp(-0.5 * (r - d) * (r + d));
    }
    return -0.5 * d * d + std::log(sum);
  }

 private:
  double h_;
  std::vector<double> x_, w_;
};

/// One point's density from first principles: every sample, every image, the library's exp, long double.
double exact_value(const Samples& s, const std::vector<double>& images, const DensityOptions& o) {
  long double sum = 0;
  for (const double q : images)
    for (std::size_t j = 0; j < s.x.size(); ++j)
      sum += (s.w.empty() ? 1.0 : s.w[j]) * o.kernel((q - s.x[j]) / o.bandwidth);
  return double(sum);
}

}  // namespace

Density estimate(const Samples& s, const std::vector<double>& points, const DensityOptions& o) {
  check_options(s, o);
  Density result;
  const double reach = o.kernel.compact() ? o.bandwidth : 40 * o.bandwidth;
  const bool plain = o.boundary == Boundary::none;
  const Images images = plain ? Images{} : images_of(s, points, o, reach);
  std::vector<double> values(points.size(), 0.0);
  if (plain || !images.place.empty()) {
    const Sums sums = sums_of(s, plain ? points : images.place, o);
    result.method = sums.method;
    result.bound = sums.bound;
    if (plain) values = sums.values;
    for (std::size_t k = 0; k < images.place.size(); ++k) values[images.owner[k]] += sums.values[k];
  } else {
    result.method = "no point is within the domain";
  }
  // Images share the samples of one query: their errors add up to at most those of the neighbours they stand
  // for.
  for (double& v : values) v = std::max(v, 0.0);

  const auto count = std::size_t(std::clamp(5e7 / double(s.x.size()), 1.0, 16.0));
  double largest = points.empty() ? 0 : *std::max_element(values.begin(), values.end());
  for (std::size_t c = 0; c < std::min(count, points.size()); ++c) {
    const std::size_t i = c * points.size() / count;
    const double exact = exact_value(s, plain ? std::vector<double>{points[i]} : images.of(i), o);
    largest = std::max(largest, exact);
    result.checked = std::max(result.checked, std::fabs(values[i] - exact));
    ++result.checks;
  }
  const double images_a_point =
      plain ? 1.0 : std::max(1.0, double(images.place.size()) / double(points.size()));
  if (largest > 0) result.checked /= largest;
  // The bound is relative to the largest density anywhere, which a few points may miss by far: it is at most
  // the total weight.
  const double anywhere = points.size() >= 64 || largest <= 0 ? 2.0 : std::max(1.0, s.total() / largest);
  if (!(result.checked <= images_a_point * result.bound * anywhere + 1e-12))
    throw runtime::Error(
        runtime::exit_check_failed,
        fmt::format("a checked density is wrong by {:.1e} where {:.1e} is guaranteed; nothing was written",
                    result.checked, result.bound));

  const double norm = o.kernel.peak() / (s.total() * o.bandwidth);
  if (!o.logarithm) {
    for (double& v : values) v *= norm;
  } else {
    // Where the value is no hundred times its error, the logarithm is summed anew without underflow.
    const double least = 100 * result.bound * largest;
    const LogSums log_sums(s, o.bandwidth);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double logarithm = std::log(values[i]);
      if (!o.kernel.compact() && plain && values[i] <= std::max(least, 1e-290))
        logarithm = log_sums(points[i]);
      values[i] = logarithm + std::log(norm);
    }
    if (!o.kernel.compact() && !plain)
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (std::isfinite(values[i]) && std::exp(values[i]) / norm > least) continue;
        double sum = -std::numeric_limits<double>::infinity();
        for (const double q : images.of(i)) {
          const double one = log_sums(q), high = std::max(sum, one);
          sum = std::isfinite(high) ? high + std::log(std::exp(sum - high) + std::exp(one - high)) : sum;
        }
        values[i] = sum + std::log(norm);
      }
  }
  result.values = std::move(values);
  return result;
}

}  // namespace parity::density
