// SPDX-License-Identifier: BSD-3-Clause
// What guards a user's filtered field: every check is seen to fail on a result that is wrong in its way. And
// how its planes are cut into blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "diffusion/reference.hpp"
#include "filter/filter.hpp"
#include "filter/masked_filter.hpp"
#include "filter/plane_check.hpp"
#include "filter/response.hpp"
#include "io/field_file.hpp"
#include "runtime/error.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using runtime::Precision;

Problem plane_of(std::int64_t nx, std::int64_t ny, std::int64_t steps, Precision precision) {
  Problem p;
  p.nx = nx;
  p.ny = ny;
  p.nz = 1;
  p.steps = steps;
  p.halo = 0;
  p.precision = precision;
  return p;
}

template <class T>
struct Checked {
  explicit Checked(const Problem& problem, double offset = 0)
      : p(problem), exact(p), check(p, exact, 2), input(diffusion::random_field<T>(p)), right(input.size()) {
    for (T& v : input) v += T(offset);
    const diffusion::FourierFilter::Room room(exact);
    std::vector<double> result(input.size());
    exact.apply(input.data(), result.data(), room);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = T(result[i]);
  }
  bool passes(const std::vector<T>& result) const {
    return !check.wrong(check.input(input.data()), check.output(result.data()), "here");
  }
  Problem p;
  diffusion::FourierFilter exact;
  filter::PlaneCheck<T> check;
  std::vector<T> input, right;
};

template <class T>
class PlaneChecks : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(PlaneChecks, Types);

TYPED_TEST(PlaneChecks, PassRightPlanes) {
  constexpr Precision precision = sizeof(TypeParam) == 4 ? Precision::f32 : Precision::f64;
  for (const auto& [nx, ny] : {std::pair(2, 2), std::pair(3, 7), std::pair(64, 33), std::pair(301, 200)})
    for (const std::int64_t steps : {1, 2, 7, 1000})
      for (const double offset : {0.0, 1000.0})
        EXPECT_TRUE(Checked<TypeParam>(plane_of(nx, ny, steps, precision), offset)
                        .passes(Checked<TypeParam>(plane_of(nx, ny, steps, precision), offset).right))
            << nx << "x" << ny << " " << steps << " " << offset;
}

TYPED_TEST(PlaneChecks, CatchEveryFault) {
  using T = TypeParam;
  constexpr Precision precision = sizeof(T) == 4 ? Precision::f32 : Precision::f64;
  const Checked<T> c(plane_of(96, 75, 6, precision));
  std::map<std::string, std::vector<T>> faults;
  faults["not filtered"] = c.input;
  faults["another plane's result"] = Checked<T>([&] {
                                       Problem p = c.p;
                                       p.seed = 2;
                                       return p;
                                     }())
                                         .right;
  faults["one step too few"] = Checked<T>(plane_of(96, 75, 5, precision)).right;
  Problem weaker = c.p;
  weaker.alpha *= 0.99;
  faults["alpha 1 % too small"] = Checked<T>(weaker).right;
  auto& shifted = faults["shifted by a point"] = c.right;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  auto& half = faults["second half left unfiltered"] = c.right;
  std::copy(c.input.begin() + std::ptrdiff_t(half.size() / 2), c.input.end(),
            half.begin() + std::ptrdiff_t(half.size() / 2));
  auto& biased = faults["a little too large"] = c.right;
  for (T& v : biased) v += T(1e-4);
  faults["one NaN"] = c.right;
  faults["one NaN"][17] = std::numeric_limits<T>::quiet_NaN();
  faults["one spike"] = c.right;
  faults["one spike"][4000] += T(2);
  faults["a spike and its opposite"] = c.right;
  faults["a spike and its opposite"][4000] += T(3);
  faults["a spike and its opposite"][100] -= T(3);
  faults["zeros"] = std::vector<T>(c.right.size(), T(0));
  EXPECT_TRUE(c.passes(c.right));
  for (const auto& [what, result] : faults) EXPECT_FALSE(c.passes(result)) << what;
}

TEST(MaskedFilter, IsCheckedByWhatItConserves) {
  Problem p = plane_of(40, 30, 5, Precision::f64);
  std::vector<double> input = diffusion::random_field<double>(p);
  for (std::size_t i = 0; i < input.size(); i += 7) input[i] = std::nan("");
  const std::vector<double> right = filter::masked_solution(p, input.data());
  const auto passes = [&](const std::vector<double>& result) {
    return !filter::wrong(p, filter::valid_sums(p, input.data(), 1), filter::valid_sums(p, result.data(), 1),
                          "here");
  };
  EXPECT_TRUE(passes(right));
  auto result = right;
  result[7] = 0;  // a missing point got a value
  EXPECT_FALSE(passes(result));
  result = right;
  std::swap(result[7], result[8]);  // a gap moved
  EXPECT_FALSE(passes(result));
  result = right;
  result[8] += 1e-3;
  EXPECT_FALSE(passes(result));
  result = right;
  for (double& v : result) v *= 3;
  EXPECT_FALSE(passes(result));
}

TEST(Blocks, CutNoChunkThatFits) {
  for (const io::Block& b : io::blocks_of({12, 10}, {4, 5}, 50)) {
    EXPECT_EQ(b.start[0] % 4, 0U);
    EXPECT_EQ(b.extent[0] % 4, 0U);
    EXPECT_EQ(b.start[1] % 5, 0U);
  }
}

TEST(Response, StrengthTakesTheShareAway) {
  for (const double wavelength : {2.0, 2.7, 5.0, 40.0})
    for (const double damping : {0.01, 0.5, 0.999}) {
      const filter::Strength s = filter::strength_for(wavelength, damping);
      EXPECT_NEAR(filter::response(s, wavelength), 1 - damping, 1e-12);
      EXPECT_LE(s.alpha, diffusion::stability_limit);
      // Shorter waves lose no less, and no fewer steps can do both.
      EXPECT_LE(std::abs(filter::diagonal_response(s, 2)), 1 - damping + 1e-12);
      if (s.steps > 1) {
        const double alpha =
            std::min(diffusion::stability_limit, 2 / (64 + 16 * std::pow(std::sin(M_PI / wavelength), 4)));
        EXPECT_GT(filter::response({s.steps - 1, alpha}, wavelength), 1 - damping);
      }
    }
}

TEST(Response, HalfWavelengthKeepsHalf) {
  for (const std::int64_t steps : {2, 10, 1000, 1000000}) {
    const filter::Strength s{steps, 0.02};
    EXPECT_NEAR(filter::response(s, filter::half_wavelength(s)), 0.5, 1e-9);
  }
}

/// The planes of a block, counted through all dimensions.
void count_planes(const io::Block& b, const std::vector<std::size_t>& lengths,
                  std::vector<std::int64_t>& all) {
  for (std::int64_t k = 0; k < b.planes(); ++k) {
    std::int64_t rest = k, plane = 0, stride = 1;
    for (std::size_t d = lengths.size(); d-- > 0;) {
      plane += stride * (std::int64_t(b.start[d]) + rest % std::int64_t(b.extent[d]));
      rest /= std::int64_t(b.extent[d]);
      stride *= std::int64_t(lengths[d]);
    }
    all.push_back(plane);
  }
}

TEST(Blocks, OfSomePlanesHaveEachOfThemOnce) {
  const std::vector<std::vector<std::size_t>> shapes = {{}, {1}, {7}, {3, 4}, {2, 1, 3}, {2, 3, 4}};
  for (const auto& lengths : shapes)
    for (const std::size_t chunk : {1, 2})
      for (std::int64_t most = 1; most <= 5; ++most) {
        std::int64_t planes = 1;
        for (const std::size_t n : lengths) planes *= std::int64_t(n);
        const std::vector<std::size_t> chunks(lengths.size(), chunk);
        for (std::int64_t first = 0; first < planes; ++first)
          for (std::int64_t size = 0; first + size <= planes; ++size) {
            std::vector<std::int64_t> found, expected(static_cast<std::size_t>(size));
            for (const io::Block& b : io::blocks_of(lengths, chunks, most, {first, size})) {
              EXPECT_LE(b.planes(), most);
              count_planes(b, lengths, found);
            }
            std::sort(found.begin(), found.end());
            std::iota(expected.begin(), expected.end(), first);
            ASSERT_EQ(found, expected) << first << " of " << planes << ", most " << most;
          }
        // All of them are what one process has.
        const auto whole = io::blocks_of(lengths, chunks, most),
                   all = io::blocks_of(lengths, chunks, most, {0, planes});
        ASSERT_EQ(whole.size(), all.size());
        for (std::size_t b = 0; b < whole.size(); ++b) {
          EXPECT_EQ(whole[b].start, all[b].start);
          EXPECT_EQ(whole[b].extent, all[b].extent);
        }
      }
}

}  // namespace
