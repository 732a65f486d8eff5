// SPDX-License-Identifier: BSD-3-Clause
// Each rank's part of the field, and the sources of its halo.
#pragma once
#include <vector>

#include "diffusion/halo.hpp"
#include "diffusion/problem.hpp"
#include "runtime/share.hpp"

namespace parity::diffusion {

/// A rank's points of one axis.
using runtime::Share;
using runtime::share_of;

/// One rank's part. Ranks are numbered with x fastest, as points are.
struct Part {
  std::int64_t rank_x = 0, rank_y = 0, rank_z = 0;
  Share x, y, z;
  Problem local;  ///< the part as a problem of one process
};
Part part_of(const Problem& whole, int rank);

/// Rows and columns of every plane.
struct Region {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
  std::int64_t cells() const { return rows * columns; }
};

/// A region of a part's halo and the rank whose interior it repeats. Rows and columns count from the first
/// point of a plane's interior, 'to' in the part that has the halo, 'from' in the part of 'source'.
struct HaloRegion {
  int source = 0;
  Region to, from;
};

/// The halo of a part, 'depth' points deep: four edges and four corners, without empty regions.
std::vector<HaloRegion> halo_regions(const Problem& whole, int rank, const Margin& depth);

/// Splits planes of 'rows' x 'columns' points, extended by 'reach' points, into up to four regions ('around')
/// whose points are within 'margin_y' or 'margin_x' points of an edge or beyond it, and the 'inner' rest.
struct Frame {
  Region inner;
  std::vector<Region> around;
};
Frame frame_of(std::int64_t rows, std::int64_t columns, std::int64_t margin_y, std::int64_t margin_x,
               std::int64_t reach);

}  // namespace parity::diffusion
