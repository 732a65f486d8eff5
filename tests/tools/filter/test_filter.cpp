// SPDX-License-Identifier: BSD-3-Clause
// The checks of a user's filtered field: every check fails on a result that is wrong in its way. Also the
// splitting of planes into blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "diffusion/reference.hpp"
#include "runtime/error.hpp"
#include "tools/filter/field_file.hpp"
#include "tools/filter/filter.hpp"
#include "tools/filter/masked_filter.hpp"
#include "tools/filter/plane_check.hpp"
#include "tools/filter/response.hpp"

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
  explicit Checked(const Problem& problem, double offset = 0, std::int64_t edge = 8192)
      : p(problem),
        tile(p, edge),
        exact(tile.problem),
        check(tile, exact, 2),
        input(diffusion::random_field<T>(p)) {
    for (T& v : input) v += T(offset);
    const std::vector<double> result = diffusion::fourier_solution(p, input.data());
    right.assign(result.begin(), result.end());
  }
  bool passes(const std::vector<T>& result) const {
    return !check.wrong(check.input(input.data()), check.output(result.data()), "here");
  }
  /// The error in the windows, relative to the tolerance.
  double error(const std::vector<T>& result, std::int64_t ranks, bool gaps = false) const {
    const diffusion::FourierFilter::Room room(exact);
    double worst = 0;
    for (const diffusion::Region& w : tile.windows(ranks))
      worst = std::max(worst, filter::error_of(tile, exact, &room, gaps, tile.cut(input.data(), w),
                                               tile.cut(result.data(), w), 1));
    return worst / diffusion::tolerance(p.precision);
  }
  Problem p;
  filter::Tile tile;
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
        for (const std::int64_t edge : {8192, 32}) {
          const Checked<TypeParam> c(plane_of(nx, ny, steps, precision), offset, edge);
          EXPECT_TRUE(c.passes(c.right)) << nx << "x" << ny << " " << steps << " " << offset << " " << edge;
        }
}

TYPED_TEST(PlaneChecks, WindowsShowTheirFaultsAlone) {
  using T = TypeParam;
  constexpr Precision precision = sizeof(T) == 4 ? Precision::f32 : Precision::f64;
  for (const auto& [nx, ny, steps, alpha, ranks] :
       {std::tuple(301, 203, 3, 1.0 / 64, 1), std::tuple(1001, 12, 4, 1.0 / 32, 3),
        std::tuple(9, 700, 5, 1.0 / 64, 10), std::tuple(2600, 31, 100, 1.0 / 32, 3)}) {
    Problem p = plane_of(nx, ny, steps, precision);
    p.alpha = alpha;
    Checked<T> c(p, 0, 64);
    const auto windows = c.tile.windows(ranks);
    ASSERT_FALSE(c.tile.whole());
    EXPECT_LE(c.error(c.right, ranks), 1) << nx << " x " << ny;
    for (const int rank : {0, ranks - 1}) {  // a point at the plane's edge, and one at a seam
      std::vector<T> wrong = c.right;
      const auto w = windows[windows.size() / std::size_t(ranks) * std::size_t(rank)];
      wrong[std::size_t(ny * rank / ranks * nx + (w.column + w.columns / 2) % nx)] += T(1e-3);
      EXPECT_GT(c.error(wrong, ranks), 1) << nx << " x " << ny << ", rank " << rank;
    }
    p.alpha *= 0.99;
    EXPECT_GT(c.error(Checked<T>(p).right, ranks), 1);
    for (std::size_t i = 0; i < c.input.size(); i += 11) c.input[i] = T(NAN);
    const std::vector<double> masked = filter::masked_solution(c.p, c.input.data());
    EXPECT_LE(c.error({masked.begin(), masked.end()}, ranks, true), 1);
    EXPECT_GT(c.error(c.right, ranks, true), 1);
  }
}

TYPED_TEST(PlaneChecks, CatchEveryFault) {
  using T = TypeParam;
  constexpr Precision precision = sizeof(T) == 4 ? Precision::f32 : Precision::f64;
  for (const std::int64_t edge : {8192, 64}) {
    const Checked<T> c(plane_of(301, 205, 2, precision), 0, edge);
    ASSERT_EQ(c.tile.whole(), edge > 64);
    std::map<std::string, std::vector<T>> faults;
    faults["not filtered"] = c.input;
    faults["another plane's result"] = Checked<T>([&] {
                                         Problem p = c.p;
                                         p.seed = 2;
                                         return p;
                                       }())
                                           .right;
    faults["one step too few"] = Checked<T>(plane_of(301, 205, 1, precision)).right;
    Problem weaker = c.p;
    weaker.alpha *= 0.99;
    faults["alpha 1 % too small"] = Checked<T>(weaker).right;
    auto& shifted = faults["shifted by a point"] = c.right;
    std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
    auto& half = faults["second half left unfiltered"] = c.right;
    std::copy(c.input.begin() + std::ptrdiff_t(half.size() / 2), c.input.end(),
              half.begin() + std::ptrdiff_t(half.size() / 2));
    auto& edge_rows = faults["rows at the edge left unfiltered"] = c.right;
    std::copy_n(c.input.begin(), 2 * c.p.nx, edge_rows.begin());
    std::copy_n(c.input.end() - c.p.nx, c.p.nx, edge_rows.end() - c.p.nx);
    auto& edge_columns = faults["a column at the edge left unfiltered"] = c.right;
    for (std::size_t at = 0; at < c.right.size(); at += std::size_t(c.p.nx)) edge_columns[at] = c.input[at];
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
    for (const auto& [what, result] : faults) EXPECT_FALSE(c.passes(result)) << what << ", edge " << edge;
  }
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
      // Shorter waves lose at least as much, and fewer steps cannot achieve both.
      EXPECT_LE(s.alpha, filter::default_alpha) << "checkerboards would change their sign each step";
      EXPECT_GE(filter::diagonal_response(s, 2), 0);
      EXPECT_LE(filter::diagonal_response(s, 2), 1 - damping + 1e-12);
      if (s.steps > 1) {
        EXPECT_GT(filter::response({s.steps - 1, filter::default_alpha}, wavelength), 1 - damping);
      }
      const filter::Strength asked = filter::strength_for(wavelength, damping, diffusion::stability_limit);
      EXPECT_LE(asked.steps, s.steps);
      EXPECT_LE(std::abs(filter::diagonal_response(asked, 2)), 1 - damping + 1e-12);
    }
}

TEST(Response, HalfWavelengthKeepsHalf) {
  for (const std::int64_t steps : {2, 10, 1000, 1000000}) {
    const filter::Strength s{steps, 0.02};
    EXPECT_NEAR(filter::response(s, filter::half_wavelength(s)), 0.5, 1e-9);
  }
}

/// Appends the planes of a block, numbered through all dimensions.
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
        // The range of all planes gives the blocks of a single process.
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
