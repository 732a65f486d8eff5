// SPDX-License-Identifier: BSD-3-Clause
#include "diffusion/decomposition.hpp"

namespace parity::diffusion {
namespace {

int rank_of(const Problem& p, std::int64_t x, std::int64_t y, std::int64_t z) {
  return int((z * p.ranks_y + y) * p.ranks_x + x);
}

/// On one axis: the first halo cell on 'side' (-1, 0: the interior, 1), and its source in the neighbour.
struct Span {
  std::int64_t to, from, size;
};
Span span_on(int side, std::int64_t own, std::int64_t neighbour, std::int64_t depth) {
  if (side < 0) return {-depth, neighbour - depth, depth};
  if (side > 0) return {own, 0, depth};
  return {0, 0, own};
}

}  // namespace

Part part_of(const Problem& whole, int rank) {
  Part part;
  part.rank_x = rank % whole.ranks_x;
  part.rank_y = rank / whole.ranks_x % whole.ranks_y;
  part.rank_z = rank / whole.ranks_x / whole.ranks_y;
  part.x = share_of(whole.nx, whole.ranks_x, part.rank_x);
  part.y = share_of(whole.ny, whole.ranks_y, part.rank_y);
  part.z = share_of(whole.nz, whole.ranks_z, part.rank_z);
  part.local = whole;
  part.local.nx = part.x.size, part.local.ny = part.y.size, part.local.nz = part.z.size;
  part.local.ranks_x = part.local.ranks_y = part.local.ranks_z = 1;
  return part;
}

std::vector<HaloRegion> halo_regions(const Problem& whole, int rank, const Margin& depth) {
  const Part own = part_of(whole, rank);
  std::vector<HaloRegion> regions;
  for (const int dy : {-1, 0, 1})
    for (const int dx : {-1, 0, 1}) {
      if (dy == 0 && dx == 0) continue;
      HaloRegion r;
      r.source = rank_of(whole, (own.rank_x + dx + whole.ranks_x) % whole.ranks_x,
                         (own.rank_y + dy + whole.ranks_y) % whole.ranks_y, own.rank_z);
      const Part neighbour = part_of(whole, r.source);
      const Span y = span_on(dy, own.y.size, neighbour.y.size, depth.y),
                 x = span_on(dx, own.x.size, neighbour.x.size, depth.x);
      r.to = {y.to, x.to, y.size, x.size};
      r.from = {y.from, x.from, y.size, x.size};
      if (r.to.cells() > 0) regions.push_back(r);
    }
  return regions;
}

Frame frame_of(std::int64_t rows, std::int64_t columns, std::int64_t margin_y, std::int64_t margin_x,
               std::int64_t reach) {
  const std::int64_t inner_rows = rows - 2 * margin_y, inner_columns = columns - 2 * margin_x;
  const Region all{-reach, -reach, rows + 2 * reach, columns + 2 * reach};
  if (inner_rows <= 0 || inner_columns <= 0) return {{}, {all}};
  Frame frame;
  frame.inner = {margin_y, margin_x, inner_rows, inner_columns};
  const auto add = [&frame](const Region& r) {
    if (r.cells() > 0) frame.around.push_back(r);
  };
  add({-reach, -reach, margin_y + reach, all.columns});
  add({margin_y, -reach, inner_rows, margin_x + reach});
  add({margin_y, columns - margin_x, inner_rows, margin_x + reach});
  add({rows - margin_y, -reach, margin_y + reach, all.columns});
  return frame;
}

}  // namespace parity::diffusion
