// SPDX-License-Identifier: BSD-3-Clause
// grid_barrier: runs all steps in one launch, with a barrier of the whole grid after each. A step is the
// 13-point update with periodic indices. On a GPU, each warp takes one strip (30 packs of 16 bytes in 8 rows)
// after the other. A point is read and written once a step. All teams must be resident at once.
#pragma once
#include "diffusion/column.hpp"
#include "diffusion/variant.hpp"
#include "runtime/fast_divide.hpp"

namespace parity::diffusion::grid_barrier {

constexpr int rows = 8;         ///< per strip
constexpr int warp_packs = 30;  ///< the outer two lanes only feed their neighbours

/// The strips of all planes of a field (nz, ny, pitch), fewer than 2^31; they are ordered by warps along x,
/// then chunks of rows, then planes.
struct Strips {
  int nx, ny, pitch;
  unsigned count;
  runtime::FastDivide by_warps{1}, by_chunks{1};

  template <class T>
  static std::int64_t warps_in_row(const Problem& p) {
    return (packs_in_row<T>(p.nx) + warp_packs - 1) / warp_packs;
  }
  static std::int64_t chunks(const Problem& p) { return (p.ny + rows - 1) / rows; }
  template <class T>
  static std::int64_t count_of(const Problem& p) {
    return warps_in_row<T>(p) * chunks(p) * p.nz;
  }
  template <class T>
  static Strips of(const Problem& p, std::int64_t pitch) {
    Strips s;
    s.nx = int(p.nx), s.ny = int(p.ny), s.pitch = int(pitch);
    s.count = unsigned(count_of<T>(p));
    s.by_warps = runtime::FastDivide(warps_in_row<T>(p));
    s.by_chunks = runtime::FastDivide(chunks(p));
    return s;
  }
};

inline Entry algorithm() {
  Entry e;
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (Strips::count_of<double>(p) < runtime::FastDivide::limit) return std::nullopt;
    return "more than 2^31 - 1 strips: their indices have 32 bits";
  };
  e.model = [](const Problem& p) {
    CostModel m = cost_per_step(p, 1, 2, direct_flops);
    m.launches = 1;
    return m;
  };
  return e;
}

}  // namespace parity::diffusion::grid_barrier
