// SPDX-License-Identifier: BSD-3-Clause
// Planes cut into tiles that flat teams hold in registers: whole planes, or tiles with their surroundings.
#pragma once
#include "team.hpp"

namespace parity::diffusion {

/// Points of a thread, rings of lanes, and lanes of a ring.
struct TileShape {
  int rows, columns, lanes, rings;

  int tile_rows() const { return rows * rings; }
  int tile_columns() const { return columns * lanes; }
  /// Whole warps, since all lanes of a warp shuffle together.
  int threads() const;

  /// Why no team can have it here; nullopt when one can.
  std::optional<std::string> refuse(Precision precision) const;
};

/// One launch: all tiles of all planes, so many steps on.
struct TileLaunch {
  TileShape shape;
  std::int64_t steps;
  int margin;  ///< points at each end of a tile that are right before the steps only; 0 where it is a plane

  /// Whether it puts off a scale that can be put off. By measurement whole planes by 8 x 4 points of a thread
  /// come sooner from plain sums in float.
  bool puts_off(Precision precision) const {
    return !(precision == Precision::f32 && shape.rows == 8 && shape.columns == 4 && margin == 0);
  }
};

/// Whether one warp should hold a plane: 16 x 16 points, and 32 x 32 in float.
bool fits_a_warp(const Problem& p);

/// All steps of planes that do; in and out may be the same.
template <class T>
void advance_planes_in_warps(const Exec& exec, const char* label, const Problem& p, const T* in, T* out);

/// The points of a thread that should take a whole plane fastest; rings = 0 where none divide it.
TileShape shape_for_plane(const Problem& p);

/// out = in after the steps, both (nz, ny, nx); they may be the same where tiles are planes.
template <class T>
void advance_tiles(const Exec& exec, const char* label, const Problem& p, const TileLaunch& launch,
                   const T* in, T* out);

}  // namespace parity::diffusion
