// SPDX-License-Identifier: BSD-3-Clause
// One team takes a plane through all steps, in scratch memory or cache. Ranges: how a team shares rows.
// The update is in place. With fewer rows a chunk than the plane has, Laplacian rows run one chunk ahead of
// the updated rows in a small ring of rows (little memory, good for a CPU core's cache); with all rows in one
// chunk, the whole Laplacian is formed first (fewest barriers, good for a GPU block).
#pragma once
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/whole.hpp"

namespace parity::diffusion {

/// Where things lie in a team's scratch memory, in elements.
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

/// Scratch level and bytes of the field and of its Laplacian: on chip where both fit, else the Laplacian
/// alone, which is used more often for its size. Levels are -1 where a plane fits nowhere.
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

/// The rows of one plane and the operations on them by one thread of the team (and its vector lanes).
template <class T, class Ranges>
struct PlaneRows {
  const Team& team;
  PlaneLayout at;
  T* field;
  T* laps;

  KOKKOS_INLINE_FUNCTION PlaneRows(const Team& t, const PlaneLayout& layout, T* for_field, T* for_laps)
      : team(t), at(layout), field(for_field + layout.lead), laps(for_laps + layout.lead) {}

  KOKKOS_INLINE_FUNCTION T* row(int j) const { return field + std::int64_t(j) * at.pitch; }
  KOKKOS_INLINE_FUNCTION T* lap_row(int slot) const { return laps + std::int64_t(slot) * at.pitch; }

  KOKKOS_INLINE_FUNCTION void close(T* r) const {
    const int nx = at.nx;
    Ranges::once(team, [=]() {
      r[-1] = r[nx - 1];
      r[nx] = r[0];
    });
  }
  KOKKOS_INLINE_FUNCTION void form_laplacian(int j, T* to) const {
    const T *const c = row(j), *const south = row(wrap(j - 1, at.ny)), *const north = row(wrap(j + 1, at.ny));
    vector_for(team, at.nx, [=](auto i) { to[i] = laplacian(c[i], c[i - 1], c[i + 1], south[i], north[i]); });
    close(to);
  }
  KOKKOS_INLINE_FUNCTION void copy(const T* from, T* to) const {
    vector_for(team, at.nx, [=](auto i) { to[i] = from[i]; });
    close(to);
  }
  KOKKOS_INLINE_FUNCTION void apply(int j, T alpha, const T* south, const T* c, const T* north) const {
    T* const r = row(j);
    vector_for(team, at.nx, [=](auto i) {
      r[i] = update(r[i], alpha, laplacian(c[i], c[i - 1], c[i + 1], south[i], north[i]));
    });
    close(r);
  }

  /// One step with the whole Laplacian in scratch: two barriers.
  KOKKOS_INLINE_FUNCTION void step_whole(T alpha) const {
    const int ny = at.ny;
    Ranges::rows(team, 0, ny, [&](int j) { form_laplacian(j, lap_row(j)); });
    Ranges::barrier(team);
    Ranges::rows(team, 0, ny, [&](int j) {
      apply(j, alpha, lap_row(wrap(j - 1, ny)), lap_row(j), lap_row(wrap(j + 1, ny)));
    });
    Ranges::barrier(team);
  }

  /// One step with a ring of Laplacian rows: row r lives in slot (r + 1) % ring.
  KOKKOS_INLINE_FUNCTION void step_in_chunks(T alpha) const {
    const int ny = at.ny, ring = at.ring;
    // The periodic seam needs these two after their rows were updated.
    T *const first = lap_row(ring), *const last = lap_row(ring + 1);
    Ranges::rows(team, 0, 2, [&](int side) { form_laplacian(side ? ny - 1 : 0, side ? last : first); });
    Ranges::barrier(team);
    Ranges::rows(team, 0, 2, [&](int side) { copy(side ? last : first, lap_row(side ? 0 : 1)); });
    for (int j0 = 0; j0 < ny; j0 += at.chunk) {
      const int j1 = j0 + at.chunk < ny ? j0 + at.chunk : ny;
      // r in [j0-1, j0+chunk]; one remainder a chunk, because it costs as much as several points.
      const int base = j0 % ring;
      const auto slot = [this, ring, base, j0](int r) {
        const int s = base + r - j0 + 1;
        return lap_row(s < ring ? s : s - ring);
      };
      Ranges::rows(team, j0 + 1, j1 + 1, [&](int r) {
        if (r < ny - 1)
          form_laplacian(r, slot(r));
        else
          copy(r == ny ? first : last, slot(r));
      });
      Ranges::barrier(team);
      Ranges::rows(team, j0, j1, [&](int j) { apply(j, alpha, slot(j - 1), slot(j), slot(j + 1)); });
      Ranges::barrier(team);
    }
  }
};

template <class T, class Ranges>
struct TeamPlane {
  /// A block of 1024 threads has room for 64 registers a thread: without the bounds the compiler may take
  /// more, and the launch fails.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;
  Fields<T> f;
  Tuning tuning;
  TeamPlane(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tuning(t) {}
  int operator()() const {
    const Problem& p = f.p;
    const PlaneLayout layout(p, tuning);
    const Placement placement(layout, p.precision);
    const int nx = layout.nx, ny = layout.ny, field_level = placement.field_level,
              laps_level = placement.laps_level;
    const std::int64_t steps = p.steps;
    const T alpha = T(p.alpha);
    T* const data = f[0].data();
    Policy policy(f.exec, int(p.nz), team_size(tuning[1]), vector_length());
    for (const int level : {0, 1})
      policy.set_scratch_size(level, Kokkos::PerTeam(int(placement.bytes(level))));
    Kokkos::parallel_for(
        "parity::diffusion::team_plane", policy, KOKKOS_LAMBDA(const Team& team) {
          T* const for_field = team_scratch<T>(team, field_level, layout.field_size());
          const PlaneRows<T, Ranges> rows(team, layout, for_field,
                                          team_scratch<T>(team, laps_level, layout.laps_size()));
          T* const plane = data + std::size_t(team.league_rank()) * ny * nx;
          Ranges::rows(team, 0, ny, [&](int j) { rows.copy(plane + std::size_t(j) * nx, rows.row(j)); });
          Ranges::barrier(team);
          for (std::int64_t step = 0; step < steps; ++step) {
            if (layout.whole())
              rows.step_whole(alpha);
            else
              rows.step_in_chunks(alpha);
          }
          Ranges::rows(team, 0, ny, [&](int j) {
            const T* const from = rows.row(j);
            T* const to = plane + std::size_t(j) * nx;
            vector_for(team, nx, [&](auto i) { to[i] = from[i]; });
          });
        });
    return 0;
  }
};

template <class Ranges>
struct TeamPlaneWith {
  template <class T>
  using Run = TeamPlane<T, Ranges>;
};

template <class Ranges>
Entry team_plane_entry() {
  Entry e = kokkos_entry({"4096x32", "4096x16", "64x32", "32x32", "16x16"},
                         {"16x1", "1x1", "2x1", "4x1", "8x1", "32x1"}, "rows a chunk x team size");
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (compat::exec_is_device() && t[1] * vector_length() > 1024) return "a team of more than 1024 threads";
    if (Placement(PlaneLayout(p, t), p.precision).field_level < 0)
      return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
             " does not fit Kokkos' scratch memory";
    return std::nullopt;
  };
  e.model = [](const Problem& p) { return cost_resident(p, 1, two_stage_flops); };
  return with_run<TeamPlaneWith<Ranges>::template Run>(e);
}

}  // namespace parity::diffusion
