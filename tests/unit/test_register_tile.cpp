// SPDX-License-Identifier: BSD-3-Clause
// The tile of a GPU's registers, by threads of the host: shuffles are exchanges between barriers.
#include <gtest/gtest.h>

#include <thread>

#include "diffusion/register_tile.hpp"
#include "diffusion/warp_plane.hpp"
#include "pair_steps.hpp"
#include "run_variant.hpp"
#include "simulated_team.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using diffusion::RegisterTile;
using diffusion::TilePlace;
using test::exchanged;
using test::Meeting;

/// What LaneRing does.
template <class T>
struct SimulatedRing {
  diffusion::LaneRing ring;
  T* slots;
  int thread;
  Meeting& meet;
  T from(T value, int lane) const {
    return exchanged(slots, meet, thread, value, thread / ring.width * ring.width + lane);
  }
  T from_west(T value) const { return from(value, ring.west_lane); }
  T from_east(T value) const { return from(value, ring.east_lane); }
};

/// The steps of a plane (ny, nx) by one team, which has 'spare' threads too many.
template <class T, int rows, int columns, bool deferred>
std::vector<T> steps_of_a_team(const Problem& p, const std::vector<T>& field, int buffers, int spare) {
  using Tile = RegisterTile<T, rows, columns>;
  using Scaled = diffusion::DeferredScale<T>;
  const int lanes = int(p.nx) / columns, rings = int(p.ny) / rows,
            threads = rings * TilePlace::ring_width(lanes) + spare, edge_rows = Tile::edge_rows(lanes, rings);
  std::vector<T> plane = field, slots(std::size_t(threads) + TilePlace::ring_width(lanes));
  typename Tile::Row unset;
  for (T& v : unset.v) v = diffusion::poison<T>;
  std::vector<typename Tile::Row> edges(std::size_t(buffers * edge_rows), unset);
  Meeting meet(threads);
  std::vector<std::thread> team;
  for (int thread = 0; thread < threads; ++thread)
    team.emplace_back([&, thread] {
      const TilePlace at(thread, lanes, rings);
      const SimulatedRing<T> ring{diffusion::LaneRing(at), slots.data(), thread, meet};
      const auto point = [&](int r, int i) -> T& {
        return plane[std::size_t((at.ring * rows + r) * p.nx + at.lane * columns + i)];
      };
      Tile tile;
      for (int r = 0; r < rows; ++r)
        for (int i = 0; i < columns; ++i) tile.row[r].v[i] = point(r, i);
      for (int step = 0; step < p.steps; ++step)
        tile.template step<deferred>(at, ring, T(p.alpha), edges.data() + step % buffers * edge_rows,
                                     buffers == 1, [&] { meet(); });
      if (deferred) tile.scale(Scaled::factor(int(p.steps)));
      if (at.active)
        for (int r = 0; r < rows; ++r)
          for (int i = 0; i < columns; ++i) point(r, i) = tile.row[r].v[i];
    });
  for (std::thread& t : team) t.join();
  return plane;
}

template <class T>
Problem plane_of(std::int64_t nx, std::int64_t ny, std::int64_t steps, bool deferred) {
  Problem p;
  p.nx = nx, p.ny = ny, p.nz = 1, p.steps = steps;
  p.precision = sizeof(T) == 4 ? runtime::Precision::f32 : runtime::Precision::f64;
  if (!deferred) p.alpha = 0.03;
  return p;
}

template <class T, int rows, int columns, bool deferred>
void expect_plane_right(int lanes, int rings) {
  const Problem p = plane_of<T>(lanes * columns, rings * rows, 5, deferred);
  const auto field = diffusion::random_field<T>(p), expected = test::pair_steps(p, field);
  for (const int buffers : {1, 2})
    for (const int spare : {0, 3})
      EXPECT_EQ((steps_of_a_team<T, rows, columns, deferred>(p, field, buffers, spare)), expected)
          << rows << "x" << columns << " points, " << lanes << " lanes, " << rings << " rings, " << buffers
          << " buffers, " << spare << " spare threads";
}

TEST(RegisterTile, APlaneOfATeamIsRightToTheBit) {
  expect_plane_right<double, 4, 2, true>(4, 3);
  expect_plane_right<double, 4, 4, false>(3, 2);
  expect_plane_right<float, 4, 1, true>(5, 2);
  expect_plane_right<float, 8, 2, false>(8, 1);
  expect_plane_right<double, 16, 4, true>(1, 2);
  expect_plane_right<double, 2, 2, false>(2, 4);
}

struct SimulatedLanes {
  int lane;
  double* slots;
  Meeting* meet;
  double from(double value, int source) const { return exchanged(slots, *meet, lane, value, source); }
};

template <int rows, int columns>
void expect_warp_right(bool deferred, int steps) {
  using Plane = diffusion::WarpPlane<double, rows, columns, 8, SimulatedLanes>;
  const Problem p = plane_of<double>(Plane::nx, Plane::ny, steps, deferred);
  const auto field = diffusion::random_field<double>(p);
  std::vector<double> plane = field, slots(32);
  Meeting meet(32);
  std::vector<std::thread> warp;
  for (int lane = 0; lane < 32; ++lane)
    warp.emplace_back([&, lane] {
      Plane part(SimulatedLanes{lane, slots.data(), &meet});
      const auto each = [&](const auto& what) {
        for (int r = 0; r < rows; ++r)
          for (int i = 0; i < columns; ++i)
            what(part.v[r][i], plane[std::size_t((part.y + r) * p.nx + part.x + i)]);
      };
      each([](double& own, double& point) { own = point; });
      meet();
      deferred ? part.template advance<true>(p.alpha, steps) : part.template advance<false>(p.alpha, steps);
      each([](double& own, double& point) { point = own; });
    });
  for (std::thread& t : warp) t.join();
  std::vector<double> padded(std::size_t(p.padded_points()));
  diffusion::gather_with_halo(p, p.nx, plane.data(), p.halo, padded.data());
  const double gate = diffusion::ErrorBound(p).of(diffusion::pair_flops);
  const auto verdict = verify(p, field.data(), fourier_solution(p, field.data()), padded.data(), gate);
  EXPECT_TRUE(verdict.passed()) << describe(p) << ": error " << verdict.error << ", gate " << gate;
}

/// More steps than the factor is put off for, and fewer.
TEST(WarpPlane, IsRight) {
  expect_warp_right<4, 2>(true, 35);
  expect_warp_right<4, 2>(false, 3);
  expect_warp_right<8, 4>(true, 3);
  expect_warp_right<8, 4>(false, 2);
}

}  // namespace
