// SPDX-License-Identifier: BSD-3-Clause
// The index maps of flat teams, thread by thread on the host: what a GPU computes, without a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "diffusion/forms.hpp"
#include "diffusion/kokkos/tiles.hpp"
#include "diffusion/points.hpp"
#include "diffusion/problem.hpp"
#include "diffusion/shared_tile.hpp"
#include "diffusion/tile_map.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;
using runtime::FastDivide;

TEST(FastDivide, DividesAtEveryEdge) {
  const std::uint32_t most = std::uint32_t(FastDivide::limit - 1);
  std::vector<std::uint32_t> edges = {0, 1, 2, 3, 5, 7, 10, 641, 1024, 1028, 46341, 65535, 6700417};
  for (int s = 2; s < 32; ++s)
    for (const int d : {-1, 0, 1}) edges.push_back(std::min(most, (std::uint32_t(1) << (s - 1)) + d));
  for (const std::uint32_t n : std::vector<std::uint32_t>(edges)) edges.push_back(most - n);
  for (const std::uint32_t divisor : edges) {
    if (divisor == 0) continue;
    const FastDivide by(divisor);
    EXPECT_EQ(by.divisor(), divisor);
    const auto expect = [&](std::uint32_t n) {
      ASSERT_EQ(by(n), n / divisor) << n << " / " << divisor;
      ASSERT_EQ(by.remainder(n, by(n)), n % divisor) << n << " % " << divisor;
    };
    for (const std::uint32_t n : edges) {
      expect(n);
      // The last number of a quotient and the first of the next one are where a quotient can be off by one.
      const std::uint32_t multiple = n / divisor * divisor;
      expect(multiple);
      if (multiple > 0) expect(multiple - 1);
    }
  }
}

TEST(FastDivide, RefusesOtherDivisors) {
  for (const std::int64_t divisor : {std::int64_t(0), std::int64_t(-1), FastDivide::limit})
    EXPECT_THROW(FastDivide{divisor}, std::out_of_range) << divisor;
}

/// Counts how often each point is stored; its value must be formed before.
struct CountedPoints {
  using Value = int;
  Extent extent;
  std::vector<int>& counts;

  struct Line {
    const CountedPoints& points;
    int k, j;
    std::size_t place(int i) const {
      EXPECT_TRUE(k >= 0 && k < points.extent.nz && j >= 0 && j < points.extent.height && i >= 0 &&
                  i < points.extent.width)
          << k << " " << j << " " << i;
      return std::size_t((k * points.extent.height + j) * points.extent.width + i);
    }
    int value(int i) const { return int(place(i)); }
    void store(int i, int value) const {
      EXPECT_EQ(value, int(place(i)));
      ++points.counts[place(i)];
    }
  };
  Line line(int k, int j) const { return {*this, k, j}; }
};

const std::vector<Extent> extents = {{1, 2, 2},   {3, 17, 33},  {2, 9, 130}, {1, 64, 64},
                                     {5, 65, 31}, {2, 1, 1030}, {1, 40, 1},  {70, 3, 5}};

template <class Map>
void expect_every_point_once(const char* name) {
  for (const Extent& e : extents) {
    std::vector<int> counts(std::size_t(e.nz * e.height * e.width));
    const Map map(e);
    for (int team = 0; team < Map::teams(e); ++team)
      for (int thread = 0; thread < Map::threads; ++thread)
        map.compute(CountedPoints{e, counts}, team, thread);
    EXPECT_EQ(counts, std::vector<int>(counts.size(), 1))
        << name << " on " << e.nz << "x" << e.height << "x" << e.width;
  }
}

TEST(TileMap, ComputesEveryPointOnce) {
  expect_every_point_once<TileMap<Tile<1, 4, 64>>>("1x4x64");
  expect_every_point_once<TileMap<Tile<2, 4, 64>>>("2x4x64");
  expect_every_point_once<TileMap<Tile<4, 4, 64>>>("4x4x64");
  expect_every_point_once<TileMap<Tile<8, 2, 64, 1>>>("8x2x64x1");
  expect_every_point_once<TileMap<Tile<2, 2, 128>>>("2x2x128");
  expect_every_point_once<TileMap<Tile<2, 8, 32>>>("2x8x32");
}

TEST(FlatMap, ComputesEveryPointOnce) {
  expect_every_point_once<FlatMap<1>>("1");
  expect_every_point_once<FlatMap<2>>("2");
  expect_every_point_once<FlatMap<4>>("4");
}

/// A host's threads share rows, not planes alone: each has work where there are as many rows as threads.
TEST(RowGroups, HaveWorkForEveryThreadAndEveryRowOnce) {
  for (const std::int64_t planes : {1, 2, 5, 64})
    for (const std::int64_t height : {1, 2, 7, 8, 9, 31, 721, 2048})
      for (const int threads : {1, 2, 3, 16, 61, 128}) {
        const RowGroups groups(planes, height, threads);
        std::vector<int> rows(std::size_t(planes * height));
        for (int n = 0; n < int(groups.count()); ++n) {
          const RowGroups::Group g = groups(n);
          ASSERT_LT(g.first, g.last);
          ASSERT_LE(g.last - g.first, groups.rows());
          for (int j = g.first; j < g.last; ++j) ++rows.at(std::size_t(g.plane * height + j));
        }
        EXPECT_EQ(rows, std::vector<int>(rows.size(), 1)) << planes << "x" << height << " on " << threads;
        EXPECT_GE(groups.count(), std::min(planes * height, 4 * std::int64_t(threads)))
            << planes << "x" << height << " on " << threads;
      }
}

/// A problem with its padded field, the halo not a number until it is filled.
struct Fixture {
  Problem p;
  std::vector<double> in, out, laplacian;
  Fixture(std::int64_t nz, std::int64_t ny, std::int64_t nx, std::int64_t halo) {
    p.nz = nz, p.ny = ny, p.nx = nx, p.halo = halo;
    in = out = laplacian = std::vector<double>(std::size_t(p.padded_points()), poison<double>);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> value(-1, 1);
    for (std::int64_t k = 0; k < nz; ++k)
      for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t i = 0; i < nx; ++i) in[place(k, halo + j, halo + i)] = value(random);
  }
  std::size_t place(std::int64_t k, std::int64_t row, std::int64_t column) const {
    return std::size_t((k * p.rows() + row) * p.pitch() + column);
  }
  void fill_halo() {
    for (std::int64_t k = 0; k < p.nz; ++k)
      for (std::int64_t j = 0; j < p.rows(); ++j)
        for (std::int64_t i = 0; i < p.pitch(); ++i)
          in[place(k, j, i)] =
              in[place(k, periodic_source(j, p.ny, p.halo), periodic_source(i, p.nx, p.halo))];
  }
};

const std::vector<Fixture> fixtures = {{1, 2, 2, 2},  {3, 17, 33, 3}, {2, 33, 17, 2}, {2, 9, 130, 2},
                                       {1, 70, 3, 3}, {2, 64, 64, 2}, {1, 6, 260, 2}};

template <class Map, class Points>
void run(const Extent& e, const Points& points) {
  const Map map(e);
  for (int team = 0; team < Map::teams(e); ++team)
    for (int thread = 0; thread < Map::threads; ++thread) map.compute(points, team, thread);
}

TEST(Points, TheHaloIsFilledAsALoopFillsIt) {
  for (Fixture f : fixtures) {
    Fixture expected = f;
    expected.fill_halo();
    const int nx = int(f.p.nx), ny = int(f.p.ny), h = int(f.p.halo);
    run<FlatMap<1>>({f.p.nz, 1, halo_cells(nx, ny, h)}, HaloPoints<double>(f.in.data(), nx, ny, h));
    EXPECT_EQ(f.in, expected.in) << describe(f.p);
  }
}

/// Two Laplacians and an update by loops.
void expect_step(const Fixture& f, const std::vector<double>& out, double tolerance) {
  const Problem& p = f.p;
  const auto lap = [&](const std::vector<double>& a, std::int64_t k, std::int64_t j, std::int64_t i) {
    return -4 * a[f.place(k, j, i)] + ((a[f.place(k, j, i - 1)] + a[f.place(k, j, i + 1)]) +
                                       (a[f.place(k, j - 1, i)] + a[f.place(k, j + 1, i)]));
  };
  std::vector<double> once(f.in.size(), poison<double>);
  for (std::int64_t k = 0; k < p.nz; ++k) {
    for (std::int64_t j = 1; j < p.rows() - 1; ++j)
      for (std::int64_t i = 1; i < p.pitch() - 1; ++i) once[f.place(k, j, i)] = lap(f.in, k, j, i);
    for (std::int64_t j = p.halo; j < p.rows() - p.halo; ++j)
      for (std::int64_t i = p.halo; i < p.pitch() - p.halo; ++i)
        ASSERT_NEAR(out[f.place(k, j, i)], f.in[f.place(k, j, i)] - p.alpha * lap(once, k, j, i), tolerance)
            << describe(p) << " at " << k << " " << j << " " << i;
  }
}

template <class Map>
void expect_fused() {
  for (Fixture f : fixtures) {
    f.fill_halo();
    run<Map>({f.p.nz, f.p.ny, f.p.nx},
             FusedPoints<double>{
                 f.in.data(), f.out.data(), {int(f.p.pitch()), int(f.p.rows()), int(f.p.halo)}, f.p.alpha});
    expect_step(f, f.out, 1e-14);
  }
}
TEST(Points, FusedInEveryMapIsAStep) {
  expect_fused<TileMap<Tile<2, 4, 64>>>();
  expect_fused<TileMap<Tile<4, 8, 32>>>();
  expect_fused<FlatMap<1>>();
  expect_fused<FlatMap<4>>();
}

/// A team's threads one after the other, up to the barrier and after it.
template <TileBoundary boundary, class Form>
void laplacian_of_tiles(const Problem& p, const std::vector<double>& from, std::vector<double>& to, int m) {
  using Tiles = SharedTile<double, boundary, Form>;
  const Tiles tiles(from.data(), to.data(), p.pitch(), p.rows(), m);
  for (int team = 0; team < Tiles::teams(p.nz, p.pitch(), p.rows(), m); ++team) {
    std::vector<double> tile(std::size_t(Tiles::points), poison<double>);
    for (int thread = 0; thread < Tiles::threads; ++thread)
      typename Tiles::Share(tiles, tile.data(), team, thread).load();
    for (int thread = 0; thread < Tiles::threads; ++thread)
      typename Tiles::Share(tiles, tile.data(), team, thread).compute();
  }
}

template <TileBoundary boundary, class Form>
void expect_shared_tiles() {
  for (Fixture f : fixtures) {
    f.fill_halo();
    const int h = int(f.p.halo);
    laplacian_of_tiles<boundary, Form>(f.p, f.in, f.laplacian, h - 1);
    laplacian_of_tiles<boundary, Form>(f.p, f.laplacian, f.out, h);
    for (std::int64_t k = 0; k < f.p.nz; ++k)
      for (std::int64_t j = 0; j < f.p.rows(); ++j)
        for (std::int64_t i = 0; i < f.p.pitch(); ++i) {
          double& out = f.out[f.place(k, j, i)];
          const bool inside = j >= h && j < f.p.rows() - h && i >= h && i < f.p.pitch() - h;
          ASSERT_EQ(std::isnan(out), !inside) << "the margin stays as it is";
          out = f.in[f.place(k, j, i)] - f.p.alpha * out;
        }
    expect_step(f, f.out, 1e-14);
  }
}
TEST(SharedTile, EveryBoundaryIsALaplacian) {
  expect_shared_tiles<TileBoundary::global, Tile<1, 8, 32>>();
  expect_shared_tiles<TileBoundary::global, Tile<2, 4, 64>>();
  expect_shared_tiles<TileBoundary::fixed_warps, Tile<2, 8, 32>>();
  expect_shared_tiles<TileBoundary::fixed_warps, Tile<1, 4, 64>>();
  expect_shared_tiles<TileBoundary::overlapping, Tile<4, 8, 32>>();
  expect_shared_tiles<TileBoundary::overlapping, Tile<1, 8, 32>>();
  expect_shared_tiles<TileBoundary::global, Tile<8, 2, 64, 1>>();
  expect_shared_tiles<TileBoundary::fixed_warps, Tile<4, 4, 32, 1>>();
  expect_shared_tiles<TileBoundary::fixed_warps, Tile<8, 1, 32>>();  // fewer threads than points of the ring
}

TEST(Forms, AreChosenByNameAndRefusedWithTheirList) {
  using Some = Forms<Count<2>, Count<1>, Count<4>>;
  EXPECT_EQ(Some::names(), (std::vector<std::string>{"2", "1", "4"}));
  int chosen = 0;
  Some::with({{4}}, [&](auto form) { chosen = decltype(form)::count; });
  EXPECT_EQ(chosen, 4);
  EXPECT_FALSE(Some::refuse({{1}}).has_value());
  EXPECT_EQ(Some::refuse({{3}}), "it is compiled for 2, 1, 4");
  EXPECT_FALSE((Forms<Tile<2, 4, 64>>::has({{4, 64}}))) << "a block of one point a thread is no form";
  using Limited = Forms<Tile<4, 2, 64, 1>, Tile<4, 4, 64, 8>, Tile<4, 4, 64>>;
  EXPECT_EQ(Limited::names(), (std::vector<std::string>{"4x2x64x1", "4x4x64x8", "4x4x64"}));
  for (const std::string& name : Limited::names())
    EXPECT_TRUE(harness::parse_tuning(name).has_value()) << name << " cannot be asked for";
  EXPECT_EQ((Tile<4, 2, 64, 1>::least), 0) << "no limit";
}

TEST(Forms, IndicesOf32BitsAreRefusedWhereTheyEnd) {
  Problem p;
  p.nx = 16384, p.ny = 2, p.nz = 30000;
  EXPECT_FALSE(refuse_many_halo_cells(p).has_value());
  p.nz = 40000;
  EXPECT_TRUE(refuse_many_halo_cells(p).has_value());
  EXPECT_TRUE(refuse_large_planes(p).has_value());
  p.nx = 2048, p.ny = 2048, p.nz = 900;
  EXPECT_FALSE(refuse_many_threads(p, {{1}}).has_value());
  p.nz = 1024;
  EXPECT_TRUE(refuse_many_threads(p, {{1}}).has_value());
  EXPECT_FALSE(refuse_many_threads(p, {{2}}).has_value()) << "two rows a thread are half the threads";
}

}  // namespace
