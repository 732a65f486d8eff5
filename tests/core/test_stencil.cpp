// SPDX-License-Identifier: BSD-3-Clause
// Each stencil operation against long double: its error stays within the bound that its header gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "diffusion/stencil.hpp"

namespace {

using namespace parity::diffusion;
using Exact = long double;

/// A point and its neighbours up to two rows and columns away.
template <class T>
struct Points {
  std::array<T, 25> v;
  T operator()(int dj, int di) const { return v[std::size_t((dj + 2) * 5 + di + 2)]; }
};
template <class To, class From, class Make>
Points<To> each(const Points<From>& f, const Make& make) {
  Points<To> to;
  for (std::size_t n = 0; n < f.v.size(); ++n) to.v[n] = make(f.v[n]);
  return to;
}

/// The exact results, with sign = -1; with sign = 1 and magnitudes, the size of their terms.
struct Whole {
  Points<Exact> f;
  Exact sign;
  template <class At>
  static Exact neighbours(const At& at, int dj, int di) {
    return at(dj, di - 1) + at(dj, di + 1) + at(dj - 1, di) + at(dj + 1, di);
  }
  Exact laplacian_at(int dj, int di, int weight) const {
    return neighbours(f, dj, di) + sign * weight * f(dj, di);
  }
  Exact step(Exact alpha, int weight, int second_weight) const {
    const auto lap = [&](int dj, int di) { return laplacian_at(dj, di, weight); };
    return f(0, 0) + sign * alpha * (neighbours(lap, 0, 0) + sign * second_weight * lap(0, 0));
  }
};

/// The sums of the neighbours before and after a point.
template <class T>
struct Pairs {
  T before, after;
  template <class At>
  Pairs(const At& at, int dj, int di)
      : before(pair_sum(at(dj - 1, di), at(dj, di - 1))), after(pair_sum(at(dj, di + 1), at(dj + 1, di))) {}
};

/// The stencil operations. products: the number of roundings that an FMA saves.
struct Laplacian {
  static constexpr int roundings = laplacian_roundings, products = 0;
  template <class T>
  static T run(const Points<T>& f, T, int dj = 0, int di = 0) {
    return laplacian_at(f(dj, di), f(dj, di - 1), f(dj, di + 1), f(dj - 1, di), f(dj + 1, di));
  }
  static Exact exact(const Whole& w, Exact) { return w.laplacian_at(0, 0, 4); }
};
struct LaplacianOfValid : Laplacian {
  static constexpr int roundings = laplacian_of_valid_roundings;
  template <class T>
  static T run(const Points<T>& f, T) {
    return laplacian_of_valid(f(0, 0), f(0, -1), f(0, 1), f(-1, 0), f(1, 0));
  }
};
struct LaplacianOfPairs : Laplacian {
  static constexpr int roundings = laplacian_of_pairs_roundings;
  template <class T>
  static T run(const Points<T>& f, T, int dj = 0, int di = 0) {
    const Pairs<T> pairs(f, dj, di);
    return PairStep<T, false>::laplacian_at(f(dj, di), pairs.before, pairs.after);
  }
};
struct Inner {
  static constexpr int roundings = DeferredScale<float>::inner_roundings, products = 0;
  template <class T>
  static T run(const Points<T>& f, T, int dj = 0, int di = 0) {
    const Pairs<T> pairs(f, dj, di);
    return PairStep<T, true>::laplacian_at(f(dj, di), pairs.before, pairs.after);
  }
  static Exact exact(const Whole& w, Exact) { return w.laplacian_at(0, 0, 8); }
};
/// The first sum of a step, at any point.
template <class First, class T>
auto first_of(const Points<T>& f) {
  return [f](int dj, int di) { return First::run(f, T(0), dj, di); };
}

struct Update {
  static constexpr int roundings = update_roundings, products = 1;
  template <class T>
  static T run(const Points<T>& f, T alpha) {
    return update(f(0, 0), alpha, f(0, 1));
  }
  static Exact exact(const Whole& w, Exact alpha) { return w.f(0, 0) + w.sign * alpha * w.f(0, 1); }
};
struct TwoStages {
  static constexpr int roundings = two_stage_roundings, products = 1;
  template <class T>
  static T run(const Points<T>& f, T alpha) {
    const auto lap = first_of<Laplacian>(f);
    return update(f(0, 0), alpha, laplacian_at(lap(0, 0), lap(0, -1), lap(0, 1), lap(-1, 0), lap(1, 0)));
  }
  static Exact exact(const Whole& w, Exact alpha) { return w.step(alpha, 4, 4); }
};
struct UpdateOfPairs : TwoStages {
  static constexpr int roundings = update_of_pairs_roundings;
  template <class T>
  static T run(const Points<T>& f, T alpha) {
    const auto lap = first_of<LaplacianOfPairs>(f);
    const Pairs<T> pairs(lap, 0, 0);
    return PairStep<T, false>::update(f(0, 0), alpha, lap(0, 0), pairs.before, pairs.after);
  }
};
struct UpdateOfLifted : UpdateOfPairs {
  static constexpr int roundings = update_of_lifted_roundings;
  template <class T>
  static T run(const Points<T>& f, T alpha) {
    const auto lap = first_of<LaplacianOfPairs>(f);
    const Pairs<T> pairs(lap, 0, 0);
    return update_of_lifted(lift(f(0, 0), alpha, lap(0, 0)), alpha, pairs.before, pairs.after);
  }
};
struct UpdateDeferred {
  static constexpr int roundings = DeferredScale<float>::roundings, products = 0;
  template <class T>
  static T run(const Points<T>& f, T alpha) {
    const auto inner = first_of<Inner>(f);
    const Pairs<T> pairs(inner, 0, 0);
    return PairStep<T, true>::update(f(0, 0), alpha, T(0), pairs.before, pairs.after);
  }
  static Exact exact(const Whole& w, Exact) { return w.step(Exact(1) / 16, 8, 0); }
};
/// Includes the factor of 32 steps.
struct UpdateAndScale : UpdateDeferred {
  template <class T>
  static T run(const Points<T>& f, T alpha) {
    const auto inner = first_of<Inner>(f);
    const Pairs<T> pairs(inner, 0, 0);
    return PairStep<T, true>::template update<true>(f(0, 0), alpha, T(0), pairs.before, pairs.after);
  }
  static Exact exact(const Whole& w, Exact alpha) {
    return std::ldexp(UpdateDeferred::exact(w, alpha), -DeferredScale<float>::steps);
  }
};
struct UpdateDirect : TwoStages {
  static constexpr int roundings = update_direct_roundings;
  template <class T>
  static T run(const Points<T>& f, T alpha) {
    return update_at(alpha, f);
  }
};

template <class Form_, class T>
struct Case {
  using Form = Form_;
  using Value = T;
  static constexpr Exact u = std::numeric_limits<T>::epsilon() / 2;

  /// The error of a result in units of u times the size of its terms.
  static double error(const Points<T>& f, T alpha, T result) {
    const auto value = [](T v) { return Exact(v); };
    const auto magnitude = [](T v) { return std::fabs(Exact(v)); };
    const Exact exact = Form::exact(Whole{each<Exact>(f, value), -1}, alpha),
                size = Form::exact(Whole{each<Exact>(f, magnitude), 1}, alpha);
    return size > 0 ? double(std::fabs(Exact(result) - exact) / (u * size)) : result == 0 ? 0.0 : INFINITY;
  }
  static double error(const Points<T>& f, T alpha) { return error(f, alpha, Form::run(f, alpha)); }
  static double roundings() {
    const volatile T near = 1 + std::numeric_limits<T>::epsilon();
    const bool fused = parity::multiply_add<T>(near, near, -T(near * near)) != 0;
    return Form::roundings - (fused ? Form::products : 0);
  }
  /// Long double also rounds, with 2^11 times the precision of double.
  static double bound() { return roundings() * (1 + 1.0 / 256); }
};

/// Data of several kinds.
template <class T>
class Draw {
 public:
  std::mt19937_64 random{17};

  double uniform() { return double(random() >> 11) * std::ldexp(1.0, -53); }
  double sign() { return random() % 2 == 0 ? 1 : -1; }
  T alpha() { return random() % 2 == 0 ? T(1.0 / 32) : T(uniform() / 32); }
  /// 0: any in [-1, 1); 1: almost constant, so that sums cancel; 2: large and small values; 3: values halfway
  /// between neighbouring numbers, in a sum with 1.
  T value(int kind) {
    const double u = std::numeric_limits<T>::epsilon() / 2;
    if (kind == 0) return T(2 * uniform() - 1);
    if (kind == 1) return T(1 + 64 * u * (2 * uniform() - 1));
    if (kind == 2) return T(sign() * std::ldexp(1 + uniform(), -int(random() % 40)));
    return random() % 4 == 0 ? T(sign()) : T(sign() * std::ldexp(u, int(random() % 8) - 4));
  }
  Points<T> points(int kind) {
    Points<T> f;
    for (T& v : f.v) v = value(kind);
    return f;
  }
};
constexpr int kinds = 4;

template <class C>
class StencilForms : public testing::Test {};
using Cases =
    testing::Types<Case<Laplacian, float>, Case<Laplacian, double>, Case<LaplacianOfValid, float>,
                   Case<LaplacianOfValid, double>, Case<LaplacianOfPairs, float>,
                   Case<LaplacianOfPairs, double>, Case<Inner, float>, Case<Inner, double>,
                   Case<Update, float>, Case<Update, double>, Case<TwoStages, float>, Case<TwoStages, double>,
                   Case<UpdateOfPairs, float>, Case<UpdateOfPairs, double>, Case<UpdateOfLifted, float>,
                   Case<UpdateOfLifted, double>, Case<UpdateDeferred, float>, Case<UpdateDeferred, double>,
                   Case<UpdateAndScale, float>, Case<UpdateAndScale, double>, Case<UpdateDirect, float>,
                   Case<UpdateDirect, double>>;
TYPED_TEST_SUITE(StencilForms, Cases);

TYPED_TEST(StencilForms, StayWithinTheirErrorBound) {
  using T = typename TypeParam::Value;
  if (std::numeric_limits<Exact>::digits < std::numeric_limits<T>::digits + 11)
    GTEST_SKIP() << "long double is no wider than double here";
  Draw<T> draw;
  double most = 0;
  for (int kind = 0; kind < kinds; ++kind)
    for (int n = 0; n < 5000; ++n) most = std::max(most, TypeParam::error(draw.points(kind), draw.alpha()));
  EXPECT_LE(most, TypeParam::bound());
}

/// The factor of deferred steps is a power of two, like that of a step.
TEST(DeferredScale, HasPowersOfTwoAlone) {
  using Scaled = DeferredScale<float>;
  int exponent = 0;
  for (const double factor : {Scaled::alpha, Scaled::scale, Scaled::weight, double(Scaled::all)})
    EXPECT_EQ(std::frexp(factor, &exponent), 0.5) << factor;
  for (int n = 0; n < Scaled::steps; ++n) EXPECT_EQ(Scaled::factor(n), std::ldexp(1.0f, -n));
  EXPECT_EQ(Scaled::all, std::ldexp(1.0f, -Scaled::steps));
  EXPECT_EQ(Scaled::scale, 1 - 16 * Scaled::alpha);
}

}  // namespace
