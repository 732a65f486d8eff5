// SPDX-License-Identifier: BSD-3-Clause
// tile, Kokkos: the size of a tile in scratch memory, and the tile sizes to tune.
#pragma once
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"

namespace parity::diffusion::tile {

/// Points of a tile with a ring of two around it, and of its Laplacian with a ring of one.
inline std::int64_t phi_points(const Tuning& t) { return std::int64_t(t[0] + 4) * (t[1] + 4); }
inline std::int64_t lap_points(const Tuning& t) { return std::int64_t(t[0] + 2) * (t[1] + 2); }
inline std::int64_t tile_bytes(const Problem& p, const Tuning& t) {
  return p.precision == Precision::f32
             ? scratch_bytes<float>(phi_points(t)) + scratch_bytes<float>(lap_points(t))
             : scratch_bytes<double>(phi_points(t)) + scratch_bytes<double>(lap_points(t));
}

inline std::optional<std::string> refuse_team_tile(const Problem& p, const Tuning& t) {
  if (compat::exec_is_device() && t[2] * vector_length() > 1024) return "a team of more than 1024 threads";
  if (scratch_level(tile_bytes(p, t)) < 0)
    return "the tile " + to_string(t) + " does not fit any scratch memory";
  return std::nullopt;
}

inline Entry with_scratch_tiles(Entry e) {
  e = with_tunings(e, {"8x128x8", "16x64x8", "8x64x8", "16x32x8", "32x32x8", "32x64x16"},
                   {"32x256x1", "16x128x1", "64x64x1", "32x1024x1"}, "rows x columns of a tile x team size");
  e.refuse += refuse_team_tile;
  return e;
}

}  // namespace parity::diffusion::tile
