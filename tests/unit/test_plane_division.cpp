// SPDX-License-Identifier: BSD-3-Clause
// How cuda-plane-registers and cuda-plane-cluster divide planes, followed on a host: who has which rows and
// columns, and which of them its neighbours are sent.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cuda/diffusion/plane_division.hpp"
#include "diffusion/halo.hpp"

namespace {

using namespace parity::cuda;
using parity::diffusion::wrap;

constexpr GroupShape eight{8, 4, 32, 8}, nine{9, 4, 32, 8}, sixteen{16, 4, 32, 8}, narrow{4, 2, 16, 8};

/// All that a division promises to the kernel; where it gives up, the empty string.
std::string check(const GroupShape& s, const PlaneDivision& d) {
  const int ring = d.groups * d.blocks;
  std::vector<int> owner(std::size_t(d.ny), -1);
  for (int q = 0; q < ring; ++q) {
    const GroupRows mine(q, d.ny, ring, s.rows), partner(q ^ 1, d.ny, ring, s.rows);
    if (mine.share.size > s.rows || mine.share.size < s.rows - s.most_short_rows()) return "rows of a group";
    for (int r = 0; r < mine.share.size; ++r) {
      int& of = owner[std::size_t(mine.of_plane(r))];
      if (of >= 0) return "a row has two owners";
      of = q;
    }
    // Numbers go one row on, past the end of the group's own.
    const int on = mine.odd ? -1 : 1;
    for (int r = 1; r < s.rows; ++r)
      if (mine.of_plane(r) != wrap(mine.of_plane(r - 1) + on, d.ny)) return "numbers are no neighbours";
    // Late: the partner sends numbers rows - 1 - missing and the one before it.
    if (mine.missing < 0 || mine.missing > 2 * s.most_short_rows()) return "no case of the kernel";
    for (int n = 0; n < 2; ++n)
      if (partner.of_plane(s.rows - 1 - partner.missing - n) !=
          wrap(mine.of_plane(s.rows - 1) + on * (1 + n), d.ny))
        return "rows sent late";
    // Early: the group on the other side sends its numbers 0 and 1.
    const GroupRows before((mine.odd ? q + 1 : q + ring - 1) % ring, d.ny, ring, s.rows);
    for (int n = 0; n < 2; ++n)
      if (before.of_plane(n) != wrap(mine.of_plane(0) - on * (1 + n), d.ny)) return "rows sent early";
  }
  int column = 0;
  for (int lane = 0; lane < d.lanes; ++lane) {
    const Share columns(lane, d.nx, d.lanes);
    if (columns.first != column || columns.size > s.columns || columns.size < s.columns - 1) return "columns";
    column += columns.size;
  }
  return column == d.nx ? "" : "columns left";
}

TEST(PlaneDivision, WhereItFitsEveryRowHasAnOwnerAndItsNeighboursAreSent) {
  int fit = 0;
  for (const GroupShape& s :
       {narrow, GroupShape{8, 4, 16, 16}, eight, nine, sixteen, GroupShape{16, 8, 32, 8},
        GroupShape{4, 8, 32, 8}, GroupShape{8, 16, 32, 8}, GroupShape{9, 8, 32, 8}})
    for (const int blocks : {1, 2, 4, 16})
      for (int ny = 2; ny <= 2 * s.rows * 8 * blocks && ny < 700; ++ny)
        for (const int nx : {s.columns * s.lanes, s.columns * s.lanes - 1, s.columns * s.lanes / 2 + 3, 9}) {
          const PlaneDivision d = divide_plane(s, nx, ny, nx, blocks);
          if (d.groups == 0) continue;
          ++fit;
          EXPECT_EQ(check(s, d), "") << s.rows << "x" << s.columns << ": " << nx << "x" << ny << " over "
                                     << blocks << " blocks";
        }
  EXPECT_GT(fit, 2000);
}

/// Rows from 96 to 512 of planes with nx columns that no cluster takes.
std::set<int> refused(const std::vector<GroupShape>& shapes, int nx) {
  std::set<int> rows;
  for (int ny = 96; ny <= 512; ++ny) {
    bool fits = false;
    for (const int blocks : {2, 4, 8, 16})
      for (const GroupShape& s : shapes) fits = fits || divide_plane(s, nx, ny, nx, blocks).groups > 0;
    if (!fits) rows.insert(ny);
  }
  return rows;
}

TEST(PlaneDivision, NineRowsTakeWhatEightAndSixteenLeave) {
  EXPECT_TRUE(refused({eight, sixteen}, 127).count(129)) << "the smallest of them";
  EXPECT_TRUE(refused({eight, sixteen, nine}, 127).empty());
  const GroupShape wide_sixteen{16, 8, 32, 8}, wide_eight{8, 8, 32, 8}, wide_nine{9, 8, 32, 8};
  for (const int nx : {129, 200, 255, 256}) {
    EXPECT_TRUE(refused({wide_sixteen, wide_eight}, nx).count(257));
    EXPECT_TRUE(refused({wide_eight, wide_nine}, nx).empty()) << nx;
  }
  const PlaneDivision d = divide_plane(nine, 127, 129, 128, 2);
  EXPECT_EQ(d.groups, 8);
  EXPECT_EQ(d.lanes, 32);
}

}  // namespace
