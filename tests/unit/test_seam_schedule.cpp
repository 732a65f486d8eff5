// SPDX-License-Identifier: BSD-3-Clause
// The exchanges of plane_seams between blocks that are no cluster, followed on a host: groups of lanes that
// run as far ahead of each other as the meetings let them, by the constants that the kernel has, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/cuda/diffusion/plane_division.hpp"
#include "backend/cuda/diffusion/seam_schedule.hpp"

namespace {

using namespace parity::cuda;

// A row is one whole number, and all is modulo 2^64: exact, in whatever order it is added.
using Number = std::uint64_t;
constexpr Number alpha = 3;
constexpr Number laplacian(Number here, Number one, Number other) { return one + other - 5 * here; }

std::vector<Number> exact(std::vector<Number> plane, int steps) {
  const auto of_plane = [](const std::vector<Number>& p) {
    const std::size_t n = p.size();
    std::vector<Number> lap(n);
    for (std::size_t j = 0; j < n; ++j) lap[j] = laplacian(p[j], p[(j + n - 1) % n], p[(j + 1) % n]);
    return lap;
  };
  for (int s = 0; s < steps; ++s) {
    const std::vector<Number> twice = of_plane(of_plane(plane));
    for (std::size_t j = 0; j < plane.size(); ++j) plane[j] -= alpha * twice[j];
  }
  return plane;
}

/// Which group goes on where several can: it does for as long as it can.
enum class Order { first, last, any };

/// A plane in groups that meet in twos: those of a seam, where it is not one between blocks.
template <class Schedule>
class Groups {
 public:
  Groups(const Schedule& schedule, const PlaneDivision& d) : schedule_(schedule), d_(d) {
    for (int q = 0; q < d.groups * d.blocks; ++q) groups_.emplace_back(q, d, schedule.rows);
  }

  std::vector<Number> run(const std::vector<Number>& plane, int steps, Order order) {
    steps_ = steps;
    for (Group& o : groups_) start(o, plane);
    for (Group& o : groups_)
      if (!o.remote) o.early = o.slots[Schedule::early_row];
    std::mt19937 random(5);
    const int all = int(groups_.size());
    for (bool any = true; any;) {
      any = false;
      const int from = order == Order::any ? int(random() % unsigned(all)) : 0;
      for (int n = 0; n < all; ++n) {
        Group& o = groups_[std::size_t(order == Order::last ? all - 1 - n : (n + from) % all)];
        while (may_go_on(o)) {
          any = true;
          go_on(o);
          if (order == Order::any && random() % 2 == 0) break;
        }
      }
    }
    std::vector<Number> out(plane.size());
    for (const Group& o : groups_) {
      EXPECT_EQ(o.done, parts()) << "groups wait for each other";
      for (int r = 0; r < o.mine.share.size; ++r) out[std::size_t(o.mine.of_plane(r))] = o.v[std::size_t(r)];
    }
    return out;
  }

 private:
  struct Group {
    Group(int q, const PlaneDivision& d, int rows) : mine(q, d.ny, d.groups * d.blocks, rows) {
      const int ring = d.groups * d.blocks, g = q % d.groups, beside = mine.odd ? g + 1 : g - 1;
      late = q ^ 1;
      early_partner = (mine.odd ? q + 1 : q + ring - 1) % ring;
      remote = beside < 0 || beside >= d.groups;
      v.resize(std::size_t(rows)), lap.resize(std::size_t(rows));
    }
    GroupRows mine;
    int late, early_partner;
    bool remote;                                                     ///< the early seam is one between blocks
    std::array<Number, 8> slots = {11, 12, 13, 14, 15, 16, 17, 18};  // anything
    std::vector<Number> v, old, lap;
    Number early = 0, second = 0, late_row = 0, weight = 0;
    std::vector<std::pair<Number, Number>> box;  ///< all messages
    int done = 0;                                ///< parts: between two meetings, or until a message
  };
  int parts() const { return 4 * steps_ + 1; }

  void start(Group& o, const std::vector<Number>& plane) {
    const auto row = [&](int r) { return plane[std::size_t(o.mine.of_plane(r))]; };
    for (int r = 0; r < schedule_.rows; ++r) o.v[std::size_t(r)] = row(r);
    o.early = row(-1), o.second = row(-2);
    if (!o.remote) groups_[std::size_t(o.early_partner)].slots[Schedule::early_row] = row(0);
    groups_[std::size_t(o.late)].slots[std::size_t(schedule_.late_laplacian(-1))] = 0;
    o.weight = 0, o.done = 0, o.box.clear();
  }

  /// Before a step's second and third part and at the end there is a meeting: with the late partner, then
  /// with the early one, who comes there once it has met its own late partner.
  bool may_go_on(const Group& o) const {
    const int s = o.done / 4, part = o.done % 4;
    if (o.done == parts()) return false;
    if (o.done < parts() - 1 && part == 0) return true;
    if (part == 3) return !o.remote || s + 1 == steps_ || int(o.box.size()) > s;
    const auto there = [&](int q) { return groups_[std::size_t(q)].done >= o.done; };
    return there(o.late) &&
           (o.remote || (there(o.early_partner) && there(groups_[std::size_t(o.early_partner)].late)));
  }

  void go_on(Group& o) {
    const int s = o.done / 4, part = o.done % 4, first = schedule_.first_meeting(),
              second = schedule_.second_meeting(), R = schedule_.rows;
    ++o.done;
    Number& last = o.v[std::size_t(R - 1)];
    if (o.done == parts()) {
      last -= o.weight * o.slots[std::size_t(schedule_.late_laplacian(steps_ - 1))];
      return;
    }
    const bool more = s + 1 < steps_;
    if (part == 0) {
      o.old = o.v;
      if (o.remote) o.slots[Schedule::early_laplacian] = laplacian(o.early, o.second, o.v[0]);
      rows(o, s, 0, first);
    } else if (part == 1) {
      last -= o.weight * o.slots[std::size_t(schedule_.late_laplacian(s - 1))];
      o.old[std::size_t(R - 1)] = last;
      groups_[std::size_t(o.late)].slots[Schedule::late_row] =
          o.v[std::size_t(schedule_.sent_late(o.mine.missing))];
      if (!o.remote) {
        o.v[0] -= alpha * o.slots[Schedule::early_laplacian];
        if (more) groups_[std::size_t(o.early_partner)].slots[Schedule::early_row] = o.v[0];
      }
      rows(o, s, first, second);
    } else if (part == 2) {
      o.late_row = o.slots[Schedule::late_row];
      rows(o, s, second, R);
      last -= alpha * laplacian(o.lap[std::size_t(R - 1)], o.lap[std::size_t(R - 2)], 0);
      o.weight = alpha;
    } else if (more) {
      if (o.remote)
        std::tie(o.early, o.second) = o.box[std::size_t(s)];
      else
        o.early = o.slots[Schedule::early_row];
    }
  }

  /// The sweep over some rows.
  void rows(Group& o, int s, int begin, int end) {
    const int R = schedule_.rows;
    const auto at = [&](std::vector<Number>& of, int k) -> Number& { return of[std::size_t(k)]; };
    for (int k = begin; k < end; ++k) {
      if (k == 2 && o.remote) at(o.v, 0) -= alpha * o.slots[Schedule::early_laplacian];
      at(o.lap, k) = laplacian(at(o.old, k), k > 0 ? at(o.old, k - 1) : o.early,
                               k < R - 1 ? at(o.old, k + 1) : o.late_row);
      if (k > 0)
        at(o.v, k - 1) -= alpha * laplacian(at(o.lap, k - 1), k > 1 ? at(o.lap, k - 2) : 0, at(o.lap, k));
      if (k == 0 && !o.remote)
        groups_[std::size_t(o.early_partner)].slots[Schedule::early_laplacian] = at(o.lap, 0);
      if (k == schedule_.sent_late(o.mine.missing))
        groups_[std::size_t(o.late)].slots[std::size_t(schedule_.late_laplacian(s))] = at(o.lap, k);
      if (k == 2 && o.remote && s + 1 < steps_)
        groups_[std::size_t(o.early_partner)].box.emplace_back(at(o.v, 0), at(o.v, 1));
    }
  }

  Schedule schedule_;
  PlaneDivision d_;
  int steps_ = 0;
  std::vector<Group> groups_;
};

std::vector<Number> random_plane(int ny) {
  std::mt19937_64 random(7);
  std::vector<Number> plane(static_cast<std::size_t>(ny));
  for (Number& n : plane) n = random();
  return plane;
}

/// Whether a division gives the exact values, for two planes one after the other.
template <class Schedule>
bool is_exact(const Schedule& schedule, const PlaneDivision& d, int steps, Order order) {
  Groups<Schedule> groups(schedule, d);
  const std::vector<Number> plane = random_plane(d.ny), expected = exact(plane, steps);
  return groups.run(plane, steps, order) == expected && groups.run(plane, steps, order) == expected;
}

/// Calls use(shape, division, rows that a seam lacks) for the divisions of all planes that fit.
template <class Use>
void for_divisions(Use use) {
  for (const GroupShape& s :
       {GroupShape{4, 4, 32, 8}, GroupShape{8, 4, 32, 8}, GroupShape{9, 4, 32, 8}, GroupShape{16, 4, 32, 8}})
    for (const int blocks : {1, 2, 3})
      for (int ny = 2; ny <= s.rows * s.most_groups * blocks; ++ny) {
        const PlaneDivision d = divide_plane(s, s.columns * s.lanes, ny, s.columns * s.lanes, blocks);
        if (d.groups == 0) continue;
        int most = 0;
        for (int q = 0; q < d.groups * d.blocks; ++q)
          most = std::max(most, GroupRows(q, ny, d.groups * d.blocks, s.rows).missing);
        use(s, d, most);
      }
}

TEST(SeamSchedule, GivesTheExactStepsWhoeverIsAhead) {
  std::set<std::pair<int, int>> seen;  // rows, of which a seam lacks so many
  int whole = 0;
  for_divisions([&](const GroupShape& s, const PlaneDivision& d, int missing) {
    const bool ragged = !is_whole(s, d) || s.rows % 2 != 0;
    whole += !ragged;
    seen.emplace(s.rows, missing);
    for (const int steps : {0, 1, 2, 3, 8})
      for (const Order order : {Order::first, Order::last, Order::any})
        EXPECT_TRUE(is_exact(SeamSchedule{s.rows, ragged}, d, steps, order))
            << s.rows << " rows, " << d.ny << " in " << d.groups << " groups of " << d.blocks << " blocks, "
            << steps << " steps, order " << int(order);
  });
  EXPECT_GE(whole, 20);
  for (const auto& one : {std::pair(4, 2), std::pair(8, 4), std::pair(9, 4), std::pair(16, 4)})
    EXPECT_TRUE(seen.count(one)) << one.first << " rows without " << one.second;
}

/// As the kernel was: one slot for the Laplacians of a late seam.
struct OneLateSlot : SeamSchedule {
  int late_laplacian(int) const { return late_laplacians; }
};

TEST(SeamSchedule, SlotsAreApartAndNoMoreThanNeeded) {
  EXPECT_EQ((SeamSchedule{8, false}.turns()), 1);
  EXPECT_EQ((SeamSchedule{8, true}.turns()), 2);
  EXPECT_EQ((SeamSchedule{16, true}.turns()), 1);
  for (const bool ragged : {false, true}) {
    const SeamSchedule schedule{8, ragged};
    std::set<int> slots = {SeamSchedule::early_row, SeamSchedule::early_laplacian, SeamSchedule::late_row};
    for (int s = -1; s < 5; ++s) slots.insert(schedule.late_laplacian(s));
    EXPECT_EQ(int(slots.size()), schedule.slots());
    EXPECT_EQ(*slots.rbegin(), schedule.slots() - 1);
  }
}

}  // namespace
