// SPDX-License-Identifier: BSD-3-Clause
// Exchange between lanes, with one host thread per lane: in warps of 64 lanes, as on some AMD GPUs, groups of
// at most 32 lanes compute the same as in warps of 32.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "diffusion/plane_registers/register_tile.hpp"
#include "diffusion/plane_registers/warp_plane.hpp"
#include "diffusion/problem.hpp"
#include "pair_steps.hpp"

namespace {

using namespace parity;
using namespace parity::diffusion;

/// A barrier of threads.
class Meeting {
 public:
  explicit Meeting(int all) : all_(all) {}
  void operator()() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int turn = turn_;
    if (++here_ == all_) {
      here_ = 0, ++turn_;
      gone_.notify_all();
    } else {
      gone_.wait(lock, [&] { return turn_ != turn; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable gone_;
  int all_, here_ = 0, turn_ = 0;
};

/// A warp with a slot for each lane's value; its lanes shuffle like a GPU's with a width.
struct Warp {
  explicit Warp(int lanes) : shown(std::size_t(lanes)), meet(lanes) {}
  std::vector<double> shown;
  Meeting meet;
};
struct HostLanes {
  int lane = 0;
  Warp* warp = nullptr;
  template <class T>
  T from(T value, int source, int width = 32) const {
    warp->shown[std::size_t(lane)] = value;
    warp->meet();
    const T got = T(warp->shown[std::size_t(lane / width * width + source % width)]);
    warp->meet();
    return got;
  }
};

/// Runs work(thread) on all threads at once.
template <class Work>
void on_threads(int threads, const Work& work) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back([&work, t] { work(t); });
  for (std::thread& t : all) t.join();
}

Problem planes(std::int64_t nz, std::int64_t ny, std::int64_t nx, std::int64_t steps) {
  Problem p;
  p.nz = nz, p.ny = ny, p.nx = nx, p.steps = steps, p.alpha = 0.03;
  return p;
}

template <class T>
void expect_planes(const Problem& p, const std::vector<T>& field, const std::vector<T>& found) {
  const auto expected = test::pair_steps(p, field);
  for (std::size_t n = 0; n < field.size(); ++n)
    ASSERT_NEAR(found[n], expected[n], sizeof(T) == 4 ? 1e-5 : 1e-12) << n;
}

class Lanes : public testing::TestWithParam<int> {};

/// A plane of 32 lanes, and in a warp of 64 a second, independent plane.
template <class T>
void expect_plane_of(int lanes) {
  using Plane = WarpPlane<T, 4, 2, 8, HostLanes>;
  const Problem p = planes(lanes / 32, Plane::ny, Plane::nx, 5);
  const auto field = random_field<T>(p);
  std::vector<T> found(field.size());
  Warp warp(lanes);
  on_threads(lanes, [&](int thread) {
    Plane plane(HostLanes{thread, &warp});
    const auto at = [&](int r, int i) {
      return std::size_t(((thread / 32) * Plane::ny + plane.y % Plane::ny + r) * Plane::nx + plane.x + i);
    };
    for (int r = 0; r < 4; ++r)
      for (int i = 0; i < 2; ++i) plane.v[r][i] = field[at(r, i)];
    for (int s = 0; s < p.steps; ++s) plane.template step<false>(T(p.alpha));
    for (int r = 0; r < 4; ++r)
      for (int i = 0; i < 2; ++i) found[at(r, i)] = plane.v[r][i];
  });
  expect_planes(p, field, found);
}
TEST_P(Lanes, OfAPlaneHandRoundWhatIsTheirs) {
  expect_plane_of<float>(GetParam());
  expect_plane_of<double>(GetParam());
}

/// Rings of 32, 8 and 5 lanes, the last with idle lanes.
TEST_P(Lanes, OfARingHandRoundWhatIsTheirs) {
  for (const int lanes : {32, 8, 5}) {
    const int width = TilePlace::ring_width(lanes), threads = 128, rings = threads / width - (lanes < 8);
    using Tile = RegisterTile<double, 4, 2>;
    const Problem p = planes(1, 4 * rings, 2 * lanes, 3);
    const auto field = random_field<double>(p);
    std::vector<double> found(field.size());
    std::vector<std::unique_ptr<Warp>> warps;
    for (int w = 0; w < threads / GetParam(); ++w) warps.push_back(std::make_unique<Warp>(GetParam()));
    std::vector<Tile::Row> edges(std::size_t(Tile::edge_rows(lanes, rings)));
    Meeting team(threads);
    on_threads(threads, [&](int thread) {
      const TilePlace at(thread, lanes, rings);
      const LaneRing<HostLanes> ring(
          at, HostLanes{thread % GetParam(), warps[std::size_t(thread / GetParam())].get()});
      const auto place = [&](int r, int i) {
        return std::size_t((at.ring * 4 + r) * p.nx + at.lane * 2 + i);
      };
      Tile t;
      for (int r = 0; r < 4; ++r)
        for (int i = 0; i < 2; ++i) t.row[r].v[i] = field[place(r, i)];
      for (int s = 0; s < p.steps; ++s)
        t.step<false>(at, ring, p.alpha, edges.data(), true, [&team] { team(); });
      if (!at.active) return;
      for (int r = 0; r < 4; ++r)
        for (int i = 0; i < 2; ++i) found[place(r, i)] = t.row[r].v[i];
    });
    expect_planes(p, field, found);
  }
}

INSTANTIATE_TEST_SUITE_P(InWarpsOf, Lanes, testing::Values(32, 64));

}  // namespace
