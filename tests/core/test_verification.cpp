// SPDX-License-Identifier: BSD-3-Clause
// Variants broken on purpose: the verification must fail for every one of them; and tests of the references.
#include <gtest/gtest.h>

#include <cmath>

#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "run_variant.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;

enum class Fault {
  none,
  coefficient,
  corner,
  missing_step,
  extra_step,
  transposed,
  stale_halo,
  one_point,
  nan_left,
  neighbour
};

/// A plain implementation with one fault built in.
template <class T>
class Broken : public Variant<T> {
 public:
  Broken(const Problem& p, Fault fault) : p_(p), fault_(fault) {}
  void load(const T* field) override { field_.assign(field, field + p_.points()); }
  void synchronise() override {}
  void advance() override {
    std::int64_t steps = p_.steps;
    if (fault_ == Fault::missing_step) --steps;
    if (fault_ == Fault::extra_step) ++steps;
    for (std::int64_t s = 0; s < steps; ++s) step();
  }
  void store(T* padded) override {
    gather_with_halo(p_, p_.nx, field_.data(), p_.halo, padded);
    if (fault_ == Fault::stale_halo) padded[0] += T(0.01);
    if (fault_ == Fault::nan_left) padded[p_.padded_points() / 2] = poison<T>;
    if (fault_ == Fault::one_point) padded[p_.padded_points() / 2] += T(0.001);
  }
  void store_interior(T* field) override { std::copy(field_.begin(), field_.end(), field); }

 private:
  void step() {
    std::vector<T> next(field_.size());
    const T alpha = T(p_.alpha) * (fault_ == Fault::coefficient ? T(1.001) : T(1));
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (std::int64_t j = 0; j < p_.ny; ++j)
        for (std::int64_t i = 0; i < p_.nx; ++i)
          next[std::size_t((k * p_.ny + j) * p_.nx + i)] = point(k, j, i, alpha);
    field_.swap(next);
  }
  T point(std::int64_t k, std::int64_t j, std::int64_t i, T alpha) const {
    return update_at(alpha, [&](std::int64_t dj, std::int64_t di) {
      if (fault_ == Fault::transposed && dj == 0 && std::abs(di) == 2) std::swap(dj, di);
      if (fault_ == Fault::neighbour && dj == 0 && di == 1) di = 2;
      const bool outside = (j + dj < 0 || j + dj >= p_.ny) && (i + di < 0 || i + di >= p_.nx);
      if (fault_ == Fault::corner && outside) return T(0);
      const std::int64_t jj = ((j + dj) % p_.ny + p_.ny) % p_.ny, ii = ((i + di) % p_.nx + p_.nx) % p_.nx;
      return field_[std::size_t((k * p_.ny + jj) * p_.nx + ii)];
    });
  }

  Problem p_;
  Fault fault_;
  std::vector<T> field_;
};

template <class T>
void expect_only_the_sound_one_passes(Precision precision) {
  Problem p;
  p.nz = 2, p.ny = 17, p.nx = 33, p.steps = 12, p.precision = precision;
  for (const Fault fault :
       {Fault::none, Fault::coefficient, Fault::corner, Fault::missing_step, Fault::extra_step,
        Fault::transposed, Fault::stale_halo, Fault::one_point, Fault::nan_left, Fault::neighbour}) {
    Broken<T> variant(p, fault);
    const auto verdict = test::verdict_of_object<T>(p, variant);
    EXPECT_EQ(verdict.passed(), fault == Fault::none) << "fault " << int(fault) << " error " << verdict.error;
  }
}

TEST(Verification, FailsForEveryFaultInFloat) { expect_only_the_sound_one_passes<float>(Precision::f32); }
TEST(Verification, FailsForEveryFaultInDouble) { expect_only_the_sound_one_passes<double>(Precision::f64); }

TEST(Verification, AFloorMustLeaveEveryValueAsItWas) {
  Problem p;
  p.nz = 2, p.ny = 5, p.nx = 7, p.precision = Precision::f32;
  const auto field = random_field<float>(p);
  std::vector<float> padded(std::size_t(p.padded_points()));
  gather_with_halo(p, p.nx, field.data(), p.halo, padded.data());
  EXPECT_TRUE(verify_unchanged(p, field.data(), padded.data()).passed());
  for (const std::size_t n : {std::size_t(0), padded.size() / 2, padded.size() - 1}) {
    auto changed = padded;
    changed[n] = std::nextafter(changed[n], 2.0f);
    EXPECT_FALSE(verify_unchanged(p, field.data(), changed.data()).passed()) << n;
    changed[n] = std::nanf("");
    EXPECT_FALSE(verify_unchanged(p, field.data(), changed.data()).passed()) << n;
  }
}

// The two references agree with each other, and with known theoretical results.

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(Reference, FourierModesAgreeWithLongDoubleSteps) {
  for (const auto& [ny, nx, steps] : std::initializer_list<std::tuple<int, int, int>>{
           {5, 7, 13}, {17, 33, 50}, {2, 2, 3}, {8, 2, 4}, {32, 24, 101}}) {
    Problem p;
    p.nz = 2, p.ny = ny, p.nx = nx, p.steps = steps, p.precision = Precision::f64;
    for (const double alpha : {stability_limit, 0.01}) {
      p.alpha = alpha;
      const auto field = random_field<double>(p);
      EXPECT_LT(largest_difference(fourier_solution(p, field.data()), long_double_solution(p, field.data())),
                2e-15)
          << ny << "x" << nx << " alpha " << alpha;
    }
  }
}

TEST(Reference, CheckerboardChangesSignAtTheStabilityLimit) {
  Problem p;
  p.nz = 1, p.ny = 6, p.nx = 8, p.steps = 1025, p.precision = Precision::f64;
  std::vector<double> field(std::size_t(p.points()));
  for (std::int64_t i = 0; i < p.points(); ++i)
    field[std::size_t(i)] = (i / p.nx + i % p.nx) % 2 == 0 ? 1 : -1;
  const auto result = fourier_solution(p, field.data());
  for (std::size_t i = 0; i < field.size(); ++i) EXPECT_NEAR(result[i], -field[i], 1e-14);
}

TEST(Reference, RandomFieldDiffersBetweenPlanesAndSeeds) {
  // The CuPy script makes the same field; its test contains these two values as well.
  EXPECT_EQ(random_value(1, 0), 0.9430021544357066);
  EXPECT_EQ(random_value(1, 1), -0.5444901292813309);
  EXPECT_NE(random_value(1, 0), random_value(1, 1));
  EXPECT_NE(random_value(1, 0), random_value(2, 0));
  double sum = 0;
  for (std::uint64_t k = 0; k < 100000; ++k) {
    const double v = random_value(3, k);
    ASSERT_GE(v, -1);
    ASSERT_LT(v, 1);
    sum += v;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);
}

}  // namespace
