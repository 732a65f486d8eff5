// SPDX-License-Identifier: BSD-3-Clause
// plane, Kokkos: the layout of a plane and its Laplacian in a team's scratch memory, and the team sizes.
#pragma once
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"

namespace parity::diffusion::plane {

/// Layout of a team's scratch memory, in elements.
struct PlaneLayout {
  int nx, ny, chunk, lead, pitch, ring;

  PlaneLayout(const Problem& p, const Tuning& t)
      : nx(int(p.nx)), ny(int(p.ny)), chunk(t[0] < ny ? t[0] : ny) {
    // Ghost columns at lead-1 and lead+nx make the wrap in x two stores a row; on a CPU 'lead' keeps rows
    // aligned.
    lead = compat::exec_is_device() ? 1 : 64 / int(runtime::bytes_of(p.precision));
    pitch = compat::exec_is_device() ? nx + 2 : (nx + 2 * lead - 1) / lead * lead + lead;
    ring = whole() ? ny : chunk + 2;
  }
  KOKKOS_INLINE_FUNCTION bool whole() const { return chunk >= ny; }
  KOKKOS_INLINE_FUNCTION std::int64_t field_size() const { return std::int64_t(pitch) * ny + lead; }
  KOKKOS_INLINE_FUNCTION std::int64_t laps_size() const {
    return std::int64_t(pitch) * (ring + (whole() ? 0 : 2)) + lead;
  }
};

/// Scratch levels and bytes of the field and of its Laplacian: both on chip if both fit, else only the
/// Laplacian, which is used more often per byte. A level is -1 if no scratch memory is large enough.
struct Placement {
  int field_level, laps_level;
  std::int64_t field_bytes, laps_bytes;

  Placement(const PlaneLayout& at, Precision precision) {
    const auto bytes = [precision](std::int64_t n) {
      return precision == Precision::f32 ? scratch_bytes<float>(n) : scratch_bytes<double>(n);
    };
    field_bytes = bytes(at.field_size());
    laps_bytes = bytes(at.laps_size());
    field_level = scratch_level(field_bytes + laps_bytes);
    laps_level = field_level == 0 ? 0 : scratch_level(laps_bytes);
  }
  std::int64_t bytes(int level) const {
    return (field_level == level ? field_bytes : 0) + (laps_level == level ? laps_bytes : 0);
  }
};

inline Entry with_teams(Entry e) {
  e = with_tunings(e, {"4096x32", "4096x16", "64x32", "32x32", "16x16"},
                   {"16x1", "1x1", "2x1", "4x1", "8x1", "32x1"}, "rows a chunk x team size");
  e.refuse += [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (compat::exec_is_device() && t[1] * vector_length() > 1024) return "a team of more than 1024 threads";
    if (Placement(PlaneLayout(p, t), p.precision).field_level < 0)
      return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
             " does not fit Kokkos' scratch memory";
    return std::nullopt;
  };
  return e;
}

}  // namespace parity::diffusion::plane
