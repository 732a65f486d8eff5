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

double value_of(const Kernel& kernel, double u) {
  if (kernel.shape == Shape::gaussian) return kernel.peak() * std::exp(-0.5 * u * u);
  const double rest = 1 - u * u;
  if (rest < 0) return 0;
  return kernel.peak() * (kernel.shape == Shape::epanechnikov ? rest
                          : kernel.shape == Shape::biweight   ? rest * rest
                          : kernel.shape == Shape::triangular ? 1 - std::fabs(u)
                                                              : 1);
}
double density_at(const Samples& s, double q, const DensityOptions& o) {
  double sum = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    sum += (s.w.empty() ? 1 : s.w[i]) * value_of(o.kernel, (q - s.x[i]) / o.bandwidth);
  return sum / (s.total() * o.bandwidth);
}
/// A bounded domain is [0, 1]: its images are as many as any kernel reaches.
double definition(const Samples& s, double q, const DensityOptions& o) {
  if (o.boundary == Boundary::none) return density_at(s, q, o);
  if (o.boundary == Boundary::reflect && (q < 0 || q > 1)) return 0;
  const int images = 3 + int(9 * o.bandwidth);
  double sum = 0;
  for (int k = -images; k <= images; ++k)
    sum += o.boundary == Boundary::periodic ? density_at(s, q + k, o)
                                            : density_at(s, q + 2 * k, o) + density_at(s, -q + 2 * k, o);
  return sum;
}

/// Relative to the largest density of a sample or here. A box jumps: one that rounding moves over its edge
/// may count or not.
TEST(DensityProperties, IsThatOfTheDefinition) {
  RC_ASSERT(rc::check("any samples, kernel, method and boundary", [] {
    Samples s = any_samples();
    DensityOptions o = any_options();
    o.boundary = *rc::gen::element(Boundary::none, Boundary::reflect, Boundary::periodic);
    if (o.boundary != Boundary::none) {
      for (double& x : s.x) x = std::fabs(std::fmod(x, 1.0));
      o.bandwidth = std::clamp(o.bandwidth, 0.02, 3.0);
      o.lower = 0, o.upper = 1;
    }
    std::vector<double> points = {-0.1, 0.01, 0.99, 1.1};
    for (std::size_t i = 0; i < s.x.size(); i += 3) {
      points.push_back(s.x[i]);
      points.push_back(s.x[i] + 0.7 * o.bandwidth);
    }
    const double peak = o.kernel.peak() / o.bandwidth;
    const double jump = o.kernel.shape == Shape::box ? 8.0 / s.total() : 0;
    const auto found = estimate(s, points, o).values;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double expected = definition(s, points[i], o);
      RC_ASSERT(std::fabs(found[i] - expected) <= (1e-8 + jump) * std::max(peak, expected));
    }
  }));
}

}  // namespace
