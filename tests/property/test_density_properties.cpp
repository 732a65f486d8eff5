// SPDX-License-Identifier: BSD-3-Clause
// What must hold for the density of any samples, whatever the method.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "density/density.hpp"

namespace {

using namespace parity::density;

/// Samples of any sort: near each other, repeated, far outliers; weights, or none.
Samples any_samples() {
  Samples s;
  const int n = *rc::gen::inRange(1, 200);
  for (int i = 0; i < n; ++i) {
    const int sort = *rc::gen::inRange(0, 10);
    const double value = *rc::gen::inRange(-100000, 100000) * 1e-5;
    s.x.push_back(sort == 0 && i > 0 ? s.x[0] : sort == 1 ? 1e4 * value : value);
  }
  if (*rc::gen::arbitrary<bool>())
    for (int i = 0; i < n; ++i) s.w.push_back(double(*rc::gen::inRange(i == 0 ? 1 : 0, 4)));
  return s;
}

DensityOptions any_options() {
  DensityOptions o;
  o.bandwidth = std::exp2(double(*rc::gen::inRange(-30, 20)) / 3);
  o.kernel.shape = *rc::gen::element(Shape::gaussian, Shape::gaussian, Shape::epanechnikov, Shape::biweight,
                                     Shape::triangular, Shape::box);
  if (!o.kernel.compact())
    o.method = *rc::gen::element(Method::automatic, Method::direct, Method::transform, Method::window);
  o.tolerance = 1e-9;
  return o;
}

std::vector<double> some_points(const Samples& s, double h) {
  std::vector<double> points;
  for (std::size_t i = 0; i < s.x.size(); i += 3) {
    points.push_back(s.x[i]);
    points.push_back(s.x[i] + 0.7 * h);
  }
  return points;
}

/// Agreement relative to the largest possible density, K_h(0). The box kernel jumps, so that rounding of a
/// shifted or scaled sample can move it across an edge: one sample's worth is allowed there.
void require_same(Values a, Values b, const Samples& s, const DensityOptions& o, double rounding = 1e-8) {
  const double peak = o.kernel.peak() / o.bandwidth;
  const double jump = o.kernel.shape == Shape::box ? 8.0 / s.total() : 0;
  for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(std::fabs(a[i] - b[i]) <= (rounding + jump) * peak);
}

TEST(DensityProperties, IntegratesToOne) {
  RC_ASSERT(rc::check("integral", [] {
    Samples s = any_samples();
    for (double& x : s.x) x = std::fmod(x, 1.0);  // a grid must be able to cover them
    DensityOptions o = any_options();
    o.bandwidth = std::max(o.bandwidth, 0.05);
    const double reach = o.kernel.compact() ? 1.01 * o.bandwidth : 8 * o.bandwidth;
    const int n = 20000;
    std::vector<double> points;
    const double lower = -1 - reach, step = (2 + 2 * reach) / n;
    for (int i = 0; i <= n; ++i) points.push_back(lower + step * i);
    double sum = 0;
    for (const double f : estimate(s, points, o).values) sum += f * step;
    RC_ASSERT(std::fabs(sum - 1) < (o.kernel.shape == Shape::box ? 5e-3 : 1e-6));
  }));
}

TEST(DensityProperties, ShiftsAndScalesWithTheSamples) {
  RC_ASSERT(rc::check("shift and scale", [] {
    const Samples s = any_samples();
    const DensityOptions o = any_options();
    const auto points = some_points(s, o.bandwidth);
    const auto before = estimate(s, points, o).values;
    // Powers of two, so that scaling is exact.
    const double factor = std::exp2(*rc::gen::inRange(-20, 20)), shift = *rc::gen::inRange(-64, 64);
    Samples scaled = s, shifted = s;
    auto scaled_points = points, shifted_points = points;
    for (double& x : scaled.x) x *= factor;
    for (double& q : scaled_points) q *= factor;
    for (double& x : shifted.x) x += shift;
    for (double& q : shifted_points) q += shift;
    DensityOptions wide = o;
    wide.bandwidth *= factor;
    auto after = estimate(scaled, scaled_points, wide).values;
    for (double& f : after) f *= factor;
    require_same(before, after, s, o);
    // Shifting rounds the samples: in units of the bandwidth by 64 * 2^-53 / h and more for outliers.
    require_same(before, estimate(shifted, shifted_points, o).values, s, o, 1e-8 + 1e-11 / o.bandwidth);
  }));
}

TEST(DensityProperties, DoesNotDependOnTheOrderAndCountsWeightsAsRepetitions) {
  RC_ASSERT(rc::check("order and repetition", [] {
    const Samples s = any_samples();
    const DensityOptions o = any_options();
    const auto points = some_points(s, o.bandwidth);
    const auto before = estimate(s, points, o).values;
    Samples reversed = s, repeated;
    std::reverse(reversed.x.begin(), reversed.x.end());
    std::reverse(reversed.w.begin(), reversed.w.end());
    require_same(before, estimate(reversed, points, o).values, s, o);
    for (std::size_t i = 0; i < s.x.size(); ++i)
      for (int k = 0; k < (s.w.empty() ? 1 : int(s.w[i])); ++k) repeated.x.push_back(s.x[i]);
    require_same(before, estimate(repeated, points, o).values, s, o);
  }));
}

TEST(DensityProperties, BoundariesKeepAllMass) {
  RC_ASSERT(rc::check("reflect and periodic", [] {
    Samples s = any_samples();
    for (double& x : s.x) x = std::fabs(std::fmod(x, 1.0));
    DensityOptions o = any_options();
    o.bandwidth = std::clamp(o.bandwidth, 0.02, 3.0);
    o.boundary = *rc::gen::element(Boundary::reflect, Boundary::periodic);
    o.lower = 0, o.upper = 1;
    const int n = 4000;
    std::vector<double> points;
    for (int i = 0; i < n; ++i) points.push_back((i + 0.5) / n);
    double sum = 0;
    const auto values = estimate(s, points, o).values;
    for (const double f : values) sum += f / n;
    RC_ASSERT(std::fabs(sum - 1) < (o.kernel.shape == Shape::box ? 2e-2 : 1e-4));
    const auto outside = estimate(s, {-0.1, 1.1}, o).values;
    if (o.boundary == Boundary::reflect) {
      RC_ASSERT(outside == Numbers({0.0, 0.0}));
    } else if (o.kernel.shape != Shape::box) {
      const auto inside = estimate(s, {0.9, 0.1}, o).values;
      for (int k = 0; k < 2; ++k)
        RC_ASSERT(std::fabs(outside[std::size_t(k)] - inside[std::size_t(k)]) <=
                  1e-7 * o.kernel.peak() / o.bandwidth);
    }
    if (o.boundary == Boundary::periodic && o.kernel.shape != Shape::box) {
      const auto ends = estimate(s, {0.0, 1.0}, o).values;
      RC_ASSERT(std::fabs(ends[0] - ends[1]) <= 1e-7 * o.kernel.peak() / o.bandwidth);
    }
  }));
}

}  // namespace
