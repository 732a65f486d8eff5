// SPDX-License-Identifier: BSD-3-Clause
// The tile of a GPU's registers, by threads of the host: shuffles are exchanges between barriers.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "diffusion/register_tile.hpp"
#include "run_variant.hpp"

namespace {

using namespace parity;
using diffusion::Problem;
using diffusion::RegisterTile;
using diffusion::TilePlace;

class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads) {}
  void operator()() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++here_ == threads_) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round != round_; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int threads_, here_ = 0, round_ = 0;
};

/// What LaneRing does, through memory that all threads see.
struct SimulatedRing {
  diffusion::LaneRing ring;
  double* slots;
  int thread;
  Meeting& meet;
  double from(double value, int lane) const {
    slots[thread] = value;
    meet();
    const double result = slots[thread / ring.width * ring.width + lane];
    meet();
    return result;
  }
  double from_west(double value) const { return from(value, ring.west_lane); }
  double from_east(double value) const { return from(value, ring.east_lane); }
};

/// The steps of a plane (ny, nx) by one team, which has 'spare' threads too many.
template <int rows, int columns>
std::vector<double> steps_of_a_team(const Problem& p, const std::vector<double>& field, int buffers,
                                    int spare) {
  using Tile = RegisterTile<double, rows, columns>;
  const int lanes = int(p.nx) / columns, rings = int(p.ny) / rows,
            threads = rings * TilePlace::ring_width(lanes) + spare, edge_rows = Tile::edge_rows(lanes, rings);
  std::vector<double> plane = field, slots(std::size_t(threads) + TilePlace::ring_width(lanes));
  typename Tile::Row unset;
  for (double& v : unset.v) v = diffusion::poison<double>;
  std::vector<typename Tile::Row> edges(std::size_t(buffers * edge_rows), unset);
  Meeting meet(threads);
  std::vector<std::thread> team;
  for (int thread = 0; thread < threads; ++thread)
    team.emplace_back([&, thread] {
      const TilePlace at(thread, lanes, rings);
      const SimulatedRing ring{diffusion::LaneRing(at), slots.data(), thread, meet};
      const auto point = [&](int r, int i) -> double& {
        return plane[std::size_t((at.ring * rows + r) * p.nx + at.lane * columns + i)];
      };
      Tile tile;
      for (int r = 0; r < rows; ++r)
        for (int i = 0; i < columns; ++i) tile.row[r].v[i] = point(r, i);
      for (int step = 0; step < p.steps; ++step)
        tile.step(at, ring, p.alpha, edges.data() + step % buffers * edge_rows, buffers == 1,
                  [&] { meet(); });
      if (at.active)
        for (int r = 0; r < rows; ++r)
          for (int i = 0; i < columns; ++i) point(r, i) = tile.row[r].v[i];
    });
  for (std::thread& t : team) t.join();
  return plane;
}

template <int rows, int columns>
void expect_plane_right(int lanes, int rings) {
  Problem p;
  p.nx = lanes * columns, p.ny = rings * rows, p.nz = 1, p.steps = 5, p.precision = runtime::Precision::f64;
  const auto field = diffusion::random_field<double>(p);
  const auto padded = test::result_of(p, test::choices({"reference-loop"}).front(), field);
  std::vector<double> expected(field.size());
  diffusion::extract_interior(p, padded.data(), expected.data());
  for (const int buffers : {1, 2})
    for (const int spare : {0, 3})
      EXPECT_EQ((steps_of_a_team<rows, columns>(p, field, buffers, spare)), expected)
          << rows << "x" << columns << " points, " << lanes << " lanes, " << rings << " rings, " << buffers
          << " buffers, " << spare << " spare threads";
}

TEST(RegisterTile, APlaneOfATeamIsRightToTheBit) {
  expect_plane_right<4, 2>(4, 3);
  expect_plane_right<4, 4>(3, 2);
  expect_plane_right<4, 1>(5, 2);
  expect_plane_right<8, 2>(8, 1);
  expect_plane_right<16, 4>(1, 2);
  expect_plane_right<2, 2>(2, 4);
}

}  // namespace
