// SPDX-License-Identifier: BSD-3-Clause
// 'parity density': it finds wrong densities, and extreme samples give finite densities or one line of error.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "kde/sorted_transform.hpp"
#include "runtime/error.hpp"
#include "tools/density/bandwidth.hpp"
#include "tools/density/check.hpp"
#include "tools/density/density.hpp"
#include "tools/density/exact_terms.hpp"
#include "tools/density/repeats.hpp"

namespace {

using namespace parity;
using namespace parity::density;

/// Two bumps, without a random generator.
Samples some_samples(int n) {
  Samples s;
  for (int i = 0; i < n; ++i) {
    const double t = (i + 0.5) / n;
    s.x.push_back(std::log(t / (1 - t)) + (i % 3 == 0 ? 8 : 0));
  }
  return s;
}

TEST(FoundErrors, TheChecksExponentialIsTheLibrarys) {
  for (double t = 0; t > -707; t -= 0.00731) ASSERT_NEAR(exp_of_negative(t) / std::exp(t), 1, 1e-15) << t;
  EXPECT_EQ(exp_of_negative(0), 1);
  for (const double t : {-708.5, -1e5, -1e308, -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(exp_of_negative(t), 0) << t;
}

TEST(FoundErrors, LeavingOutFarSamplesChangesNothing) {
  Samples s = some_samples(300001);
  for (std::size_t i = 0; i < s.x.size(); ++i) s.w.push_back(double(i % 4));
  s.x[5] = 1e19, s.x[7] = -1e140;
  Numbers among;
  for (int i = 0; i < 64; ++i) among.push_back(8 - 0.25 * i);
  Numbers with_far = among;  // its cells are so wide that one holds all other queries
  for (const double far : {1e19, -1e140, 5e18}) with_far.push_back(far);
  for (const Numbers& queries : {among, with_far})
    for (const std::string& name : kernel_names())
      for (const double h : {1e-9, 0.1, 4.0, 1e5}) {
        const Kernel kernel = kernel_of(name);
        ASSERT_GT(double(s.x.size()) * double(queries.size()), 0x1p24);  // beyond, a host omits far samples
        const Numbers near = exact_sums(s, queries, h, kernel),
                      direct = direct_sums(s, queries, h, kernel).values;
        for (std::size_t i = 0; i < queries.size(); ++i)
          ASSERT_NEAR(near[i], direct[i], 1e-12 * (1 + direct[i])) << name << " " << h << " " << queries[i];
      }
}

TEST(FoundErrors, AThousandPointsAreCheckedEvenlyAndNeverFewerThanSixteen) {
  EXPECT_EQ(checked_points(7, 10), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
  const auto many = checked_points(100000, 1000);
  ASSERT_EQ(many.size(), 1000u);
  for (std::size_t c = 0; c < many.size(); ++c) EXPECT_EQ(many[c], 100 * c);
  EXPECT_EQ(checked_points(100000, most_checked_pairs() / 100).size(), 100u);
  EXPECT_EQ(checked_points(100000, 1e15).size(), 16u);
  EXPECT_EQ(checked_points(3, 1e15).size(), 3u);
}

TEST(FoundErrors, AnyCheckedValueThatIsWrongIsFound) {
  const Samples s = some_samples(500);
  const SampleSet set(s);
  const Kernel kernel;
  const Sums right = direct_sums(set, s.x, 0.3, kernel);
  std::vector<CheckedPoint> points;
  for (const std::size_t i : checked_points(s.x.size(), 500)) points.push_back({i, {s.x[i]}});
  ASSERT_EQ(points.size(), 500u);
  const double largest = *std::max_element(right.values.begin(), right.values.end());
  const Found fine = find_error(set, points, right.values, largest, 0.3, kernel);
  EXPECT_LE(fine.error, 1e-13);
  EXPECT_EQ(fine.checks, 500);
  EXPECT_NO_THROW(require_within(fine, 1e-12));
  for (const std::size_t at : {0, 250, 499})
    for (const double wrong :
         {right.values[at] * (1 + 1e-6) + 1e-6, 0.0, std::numeric_limits<double>::quiet_NaN(),
          std::numeric_limits<double>::infinity()}) {
      Numbers values = right.values;
      values[at] = wrong;
      EXPECT_THROW(require_within(find_error(set, points, values, largest, 0.3, kernel), 1e-10),
                   runtime::Error)
          << at << " " << wrong;
    }
  // Sums of another bandwidth are wrong too.
  EXPECT_THROW(require_within(find_error(set, points, right.values, largest, 0.31, kernel), 1e-3),
               runtime::Error);
}

TEST(FarValues, SortedBoxesAreExactBeyondIntegers) {
  // Boxes of 0.25 and samples up to 1e140: box numbers far exceed 2^63.
  const Numbers x{-1e140, -1e30, -1e30,  -9.3e18,    -4e15,  -4e15 + 0.5, -1,   0,    0.25,
                  2,      4e15,  9.1e15, 9.1e15 + 2, 9.3e18, 9.3e18,      1e30, 1e140};
  Numbers w;
  for (std::size_t i = 0; i < x.size(); ++i) w.push_back(double(i % 3 + 1));
  Numbers q = x;
  for (const double more : {0.1, 5e18, -1e139, 9.1e15 + 4, 4e15 + 1}) q.push_back(more);
  Numbers many_x, many_w;  // enough samples per box to use the series
  for (int k = 0; k < 40; ++k) {
    many_x.insert(many_x.end(), x.begin(), x.end());
    many_w.insert(many_w.end(), w.begin(), w.end());
  }
  for (const double h : {0.5, 0.7, 3.0}) {
    std::vector<double> sums(q.size());
    kde::sorted_transform(many_x, many_w, q, h, 20, 10, sums.data());
    const Numbers exact = exact_sums(Samples{many_x, many_w}, q, h, Kernel{});
    for (std::size_t i = 0; i < q.size(); ++i)
      EXPECT_NEAR(sums[i], exact[i], 1e-11 * 120) << q[i] << " " << h;
  }
}

/// The outcome of an extreme case: "finite", or the first words of a refusal.
std::string outcome(const Samples& s, const Numbers& points, const DensityOptions& o) {
  try {
    const Density d = estimate(s, points, o);
    for (const double v : d.values)
      if (!std::isfinite(v) && !(o.logarithm && v < 0)) return "wrote " + std::to_string(v);
    return "finite";
  } catch (const runtime::UsageError& e) {
    const std::string what = e.what();
    return what.find('\n') == std::string::npos ? "refused" : "more than one line";
  }
}

TEST(FarValues, EveryDensityIsFiniteOrRefused) {
  int finite = 0, refused = 0;
  for (const Numbers& x :
       {Numbers{-1e308, 1e308}, Numbers{0, 1e308}, Numbers{-1.7e308, 0, 1.7e308}, Numbers{1e140, -1e140, 0},
        Numbers{1e16, 0, 1, 2}, Numbers{1e19, 1e-3, -1e19}, Numbers{1e-308, 2e-308}, Numbers{5e-324, 0},
        Numbers{1, 1 + 1e-15, 1}, Numbers{3e38, -3e38, 0}, Numbers{0}})
    for (const double h : {1e308, 1e140, 1e100, 1e5, 1.0, 1e-5, 1e-100, 1e-140, 1e-320, 5e-324})
      for (const char* kernel : {"gaussian", "epanechnikov", "box", "triangular"})
        for (const Method method :
             {Method::automatic, Method::direct, Method::transform, Method::binned, Method::window})
          for (const Boundary boundary : {Boundary::none, Boundary::reflect, Boundary::periodic})
            for (const bool logarithm : {false, true}) {
              DensityOptions o;
              o.bandwidth = h, o.kernel = kernel_of(kernel), o.method = method, o.boundary = boundary;
              o.logarithm = logarithm;
              if (boundary == Boundary::reflect) o.lower = *std::min_element(x.begin(), x.end());
              if (boundary == Boundary::periodic) {
                o.lower = *std::min_element(x.begin(), x.end());
                o.upper = std::max(*std::max_element(x.begin(), x.end()), o.lower + 1);
              }
              Numbers points = x;
              for (const double q : {0.0, 0.5, -1e139, 1e139, 1e18, -7e15}) points.push_back(q);
              const std::string is = outcome({x, {}}, points, o);
              EXPECT_TRUE(is == "finite" || is == "refused")
                  << is << ": " << x[0] << " " << h << " " << kernel << " " << int(method) << int(boundary);
              ++(is == "finite" ? finite : refused);
            }
  EXPECT_GT(finite, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(FarValues, RulesGiveABandwidthThatCanBeUsedOrRefuse) {
  for (const Numbers& x :
       {Numbers{-1e308, 1e308}, Numbers{-1e140, 0, 1, 2, 1e140}, Numbers{1e-308, 2e-308, 3e-308},
        Numbers{1e-160, 2e-160}, Numbers{0, 5e-324}, Numbers{1, 1 + 1e-15, 1}, Numbers{3e38, -3e38, 0, 1, 5}})
    for (int rule = 0; rule < 4; ++rule) {
      const Samples s{x, {}};
      double h = 1;
      try {
        h = rule == 0   ? silverman_bandwidth(s)
            : rule == 1 ? scott_bandwidth(s)
            : rule == 2 ? isj_bandwidth(s)
                        : lscv_bandwidth(s);
      } catch (const runtime::UsageError&) {
      }
      EXPECT_TRUE(h > 0 && std::isfinite(h)) << x[0] << " " << h;
    }
}

TEST(FarValues, ExtremeWeightsAreScaledAndBadOnesRefused) {
  for (const double unit : {1e-320, 1e-300, 1.0, 1e300}) {
    Samples s{{0, 1, 2}, {unit, 2 * unit, unit}};
    settle_weights(s.w, "w.npy");
    DensityOptions o;
    o.bandwidth = silverman_bandwidth(s);
    const Numbers f = estimate(s, {0.5}, o).values, expected = [&o] {
      const Samples ones{{0, 1, 2}, {1, 2, 1}};
      return estimate(ones, {0.5}, o).values;
    }();
    EXPECT_NEAR(f[0], expected[0], 1e-4 * expected[0]) << unit;
  }
  Numbers negative{1, -1}, none{0, 0};
  EXPECT_THROW(settle_weights(negative, "w.npy"), runtime::UsageError);
  EXPECT_THROW(settle_weights(none, "w.npy"), runtime::UsageError);
}

/// Random normal samples; quantiles of the distribution would have no bumps.
Numbers normal_samples(int n) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Numbers x(static_cast<std::size_t>(n));
  for (double& v : x) v = normal(random);
  return x;
}

std::string refusal_of_rule(const Samples& s, double (*rule)(const SampleSet&, double),
                            double deviation = 1) {
  try {
    rule(s, deviation);
  } catch (const runtime::UsageError& e) {
    return e.what();
  }
  return "none";
}

TEST(Repeats, RoundingDoesNotChangeABandwidthThatIsWider) {
  Samples feet{normal_samples(20000), {}};  // feet and metres: uneven steps
  const double unrounded = isj_bandwidth(feet);
  for (std::size_t i = 0; i < feet.x.size(); ++i) {
    const double step = i % 2 == 0 ? 0.04 : 0.1016;
    feet.x[i] = std::round(feet.x[i] / step) * step;
  }
  EXPECT_NEAR(isj_bandwidth(feet), unrounded, 0.03 * unrounded);
  for (const int n : {1000, 50000})
    for (const double step : {0.2, 0.1, 0.02}) {
      Samples plain{normal_samples(n), {}}, rounded = plain;
      for (double& v : rounded.x) v = std::round(v / step) * step;  // 0.30000000000000004 and 0.3
      for (std::size_t i = 0; i < rounded.x.size(); i += 2) rounded.x[i] *= 1 + 1e-16 * double(i % 3);
      const double h = isj_bandwidth(plain);
      EXPECT_NEAR(isj_bandwidth(rounded), h, 0.03 * h) << n << " " << step;
      EXPECT_FALSE(repeats_shown(rounded, h).any());
      EXPECT_TRUE(repeats_shown(rounded, 0.3 * step).any()) << n << " " << step;
    }
}

TEST(Repeats, AreNoneOfSamplesThatHappenToBeEqual) {
  Samples once{normal_samples(3000), {}}, drawn = once;
  std::mt19937_64 random(7);
  for (double& v : drawn.x) v = once.x[random() % once.x.size()];
  for (const auto rule : {silverman_bandwidth, scott_bandwidth})
    EXPECT_FALSE(repeats_shown(drawn, rule(drawn)).any());
  EXPECT_EQ(refusal_of_rule(drawn, isj_bandwidth), "none");
  Samples steps{Numbers(3000), {}};  // at 0.53 steps a value contributes three quarters of its density
  for (std::size_t i = 0; i < steps.x.size(); ++i) steps.x[i] = double(i % 1000);
  EXPECT_TRUE(repeats_shown(steps, 0.5).any());
  EXPECT_FALSE(repeats_shown(steps, 0.56).any());
  Samples singles{Numbers{0, 0, 1, 2, 3, 5, 8, 13}, {}};
  EXPECT_FALSE(repeats_shown(singles, 0.1).any());
  Samples many{Numbers(4 << 16), {}};  // only some are checked; every 4th is 0
  for (std::size_t i = 0; i < many.x.size(); ++i) many.x[i] = i % 4 == 0 ? 0 : double(i);
  const RepeatedValues found = repeats_shown(many, 1);
  EXPECT_NEAR(found.share, 0.25, 0.01);
  EXPECT_EQ(found.value, 0);
}

TEST(Repeats, ClustersThatAreFarNarrowerThanAllAreNoRepeats) {
  Samples s{normal_samples(2000), {}};
  for (std::size_t i = 0; i < s.x.size(); ++i) s.x[i] = 1e-6 * s.x[i] + double(i % 2);
  const std::string why = refusal_of_rule(s, lscv_bandwidth);
  EXPECT_NE(why.find("falls to the smallest bandwidth tried"), std::string::npos) << why;
}

TEST(Weights, OnOneSampleAreNamed) {
  for (const Samples& s :
       {Samples{{1, 2, 7}, {0, 3, 0}}, Samples{{2, 2, 7}, {1, 2, 0}}, Samples{{2, 5}, {1, 1e-30}}})
    for (const auto rule : {isj_bandwidth, lscv_bandwidth})
      EXPECT_NE(refusal_of_rule(s, rule).find("all the weight is on samples of 2,"), std::string::npos);
  EXPECT_NE(refusal_of_rule({{2, 2}, {1, 2}}, isj_bandwidth).find("no spread"), std::string::npos);
}

/// Samples of all kinds: close, repeated, far outliers; with or without weights.
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
/// A bounded domain is [0, 1]: the number of images exceeds the reach of any kernel.
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

/// The error is relative to the largest density of a sample or here. A box kernel jumps: a sample that
/// rounding moves over its edge may count or not.
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
