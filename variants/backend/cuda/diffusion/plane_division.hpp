// SPDX-License-Identifier: BSD-3-Clause
// How a plane is divided over groups of lanes that keep it in registers: which rows and columns whose are.
#pragma once
#include "host_device.hpp"
#include "runtime/share.hpp"

namespace parity::cuda {

/// What the compiler knows of a kernel that keeps planes in registers. A lane has rows x columns points; an
/// odd number of rows is for ragged planes alone.
struct PlaneConfig {
  int rows, columns;
  int lanes = 32;        ///< of a group, 16 or 32, of which a ragged plane may leave some idle
  int threads = 256;     ///< of a block, at most
  bool pairwise = true;  ///< warps meet in twos and not as a block

  PARITY_INLINE constexpr int groups_a_warp() const { return 32 / lanes; }
  PARITY_INLINE constexpr int most_groups() const { return threads / 32 * groups_a_warp(); }
  /// Rows that a group may have less than others. Each costs a case of the kernel.
  PARITY_INLINE constexpr int most_short_rows() const { return rows >= 8 ? 2 : 1; }
  /// Whether ragged planes have DeferredScale, too: larger forms take minutes to compile as it is.
  PARITY_INLINE constexpr bool defers_ragged() const { return rows * columns <= 72; }
};

/// How a plane is divided, by the host.
struct PlaneDivision {
  int nx, ny, pitch;
  int lanes;   ///< of a group
  int groups;  ///< of a block, an even number; 0 if the plane does not fit
  int blocks;  ///< of a plane
};

/// What a group has of the rows, a lane of the columns.
using Share = runtime::EvenShare;

/// The rows of group q of a ring of groups. Even groups number them downwards, odd ones upwards; groups q and
/// q ^ 1 end at the same seam. Numbers from 'share.size' on are the partner's last rows.
struct GroupRows {
  Share share;
  int ny;
  bool odd;
  int missing;  ///< rows that the two of a seam lack: number rows - 1 - missing is the first beyond a
                ///< partner's
  PARITY_INLINE GroupRows(int q, int rows_in_plane, int ring, int rows)
      : share(q, rows_in_plane, ring),
        ny(rows_in_plane),
        odd(q % 2 == 1),
        missing(2 * rows - share.size - Share(q ^ 1, rows_in_plane, ring).size) {}
  /// The plane's row that number r is.
  PARITY_INLINE int of_plane(int r) const {
    int j = odd ? share.first + share.size - 1 - r : share.first + r;
    while (j < 0) j += ny;
    while (j >= ny) j -= ny;
    return j;
  }
};

/// The division of a plane of nx x ny points over so many blocks.
inline PlaneDivision divide_plane(const PlaneConfig& c, int nx, int ny, int pitch, int blocks) {
  PlaneDivision d{nx, ny, pitch, (nx + c.columns - 1) / c.columns, 0, blocks};
  if (d.lanes > c.lanes || nx < d.lanes * (c.columns - 1)) return d;
  const int rows_of_a_group = blocks * c.rows, groups = (ny + rows_of_a_group - 1) / rows_of_a_group,
            even = (groups + 1) / 2 * 2;
  if (even > c.most_groups() || ny / (even * blocks) < c.rows - c.most_short_rows()) return d;
  d.groups = even;
  return d;
}

/// Whether a division leaves nothing idle.
inline bool is_whole(const PlaneConfig& c, const PlaneDivision& d) {
  return d.nx == c.columns * c.lanes && d.ny == d.groups * d.blocks * c.rows;
}

}  // namespace parity::cuda
