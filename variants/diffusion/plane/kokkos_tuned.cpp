// SPDX-License-Identifier: BSD-3-Clause
// plane, Kokkos, tuned: the first version, but on a host a team of one thread runs plain loops without
// barriers.
#include "layout.hpp"

namespace parity::diffusion::plane {
namespace {

template <class T>
struct TunedTeamPlane {
  /// A block of 1024 threads has room for 64 registers a thread: without the bounds the compiler may take
  /// more, and the launch fails.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;
  Fields<T> f;
  Tuning tuning;
  TunedTeamPlane(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tuning(t) {}
  int operator()() const {
    const Problem& p = f.p;
    const PlaneLayout at(p, tuning);
    const Placement placement(at, p.precision);
    const int nx = at.nx, ny = at.ny, field_level = placement.field_level, laps_level = placement.laps_level;
    const std::int64_t steps = p.steps;
    const T alpha = T(p.alpha);
    T* const data = f[0].data();
    Policy policy(f.exec, int(p.nz), team_size(tuning[1]), vector_length());
    for (const int level : {0, 1})
      policy.set_scratch_size(level, Kokkos::PerTeam(int(placement.bytes(level))));
    Kokkos::parallel_for(
        "parity::diffusion::team_plane", policy, KOKKOS_LAMBDA(const Team& team) {
          T* const field = team_scratch<T>(team, field_level, at.field_size()) + at.lead;
          T* const laps = team_scratch<T>(team, laps_level, at.laps_size()) + at.lead;
          T* const plane = data + std::size_t(team.league_rank()) * ny * nx;
          const auto row = [&](int j) { return field + std::int64_t(j) * at.pitch; };
          const auto lap_row = [&](int slot) { return laps + std::int64_t(slot) * at.pitch; };
          // Fills the ghost columns of a row, which the wrap in x reads.
          const auto close = [&](T* r) {
            HostLoops::once(team, [=]() {
              r[-1] = r[nx - 1];
              r[nx] = r[0];
            });
          };
          const auto copy = [&](const T* from, T* to) {
            vector_for(team, nx, [=](auto i) { to[i] = from[i]; });
            close(to);
          };
          const auto apply_laplacian = [&](int j, T* to) {
            const T *const c = row(j), *const south = row(wrap(j - 1, ny)),
                           *const north = row(wrap(j + 1, ny));
            vector_for(team, nx,
                       [=](auto i) { to[i] = laplacian_at(c[i], c[i - 1], c[i + 1], south[i], north[i]); });
            close(to);
          };
          const auto apply = [&](int j, const T* south, const T* c, const T* north) {
            T* const r = row(j);
            vector_for(team, nx, [=](auto i) {
              r[i] = update(r[i], alpha, laplacian_at(c[i], c[i - 1], c[i + 1], south[i], north[i]));
            });
            close(r);
          };

          HostLoops::rows(team, 0, ny, [&](int j) { copy(plane + std::size_t(j) * nx, row(j)); });
          HostLoops::barrier(team);
          for (std::int64_t step = 0; step < steps; ++step) {
            if (at.whole()) {
              HostLoops::rows(team, 0, ny, [&](int j) { apply_laplacian(j, lap_row(j)); });
              HostLoops::barrier(team);
              HostLoops::rows(team, 0, ny, [&](int j) {
                apply(j, lap_row(wrap(j - 1, ny)), lap_row(j), lap_row(wrap(j + 1, ny)));
              });
              HostLoops::barrier(team);
              continue;
            }
            // Row r's Laplacian lives in slot (r + 1) % ring. The seam needs those of the first and
            // the last row after these rows were updated.
            T *const first = lap_row(at.ring), *const last = lap_row(at.ring + 1);
            HostLoops::rows(team, 0, 2,
                            [&](int side) { apply_laplacian(side ? ny - 1 : 0, side ? last : first); });
            HostLoops::barrier(team);
            HostLoops::rows(team, 0, 2, [&](int side) { copy(side ? last : first, lap_row(side ? 0 : 1)); });
            for (int j0 = 0; j0 < ny; j0 += at.chunk) {
              const int j1 = j0 + at.chunk < ny ? j0 + at.chunk : ny;
              // r in [j0-1, j0+chunk]; one remainder a chunk, because it costs as much as several points.
              const int base = j0 % at.ring;
              const auto slot = [&](int r) {
                const int s = base + r - j0 + 1;
                return lap_row(s < at.ring ? s : s - at.ring);
              };
              HostLoops::rows(team, j0 + 1, j1 + 1, [&](int r) {
                if (r < ny - 1)
                  apply_laplacian(r, slot(r));
                else
                  copy(r == ny ? first : last, slot(r));
              });
              HostLoops::barrier(team);
              HostLoops::rows(team, j0, j1, [&](int j) { apply(j, slot(j - 1), slot(j), slot(j + 1)); });
              HostLoops::barrier(team);
            }
          }
          HostLoops::rows(team, 0, ny, [&](int j) {
            const T* const from = row(j);
            T* const to = plane + std::size_t(j) * nx;
            vector_for(team, nx, [&](auto i) { to[i] = from[i]; });
          });
        });
    return 0;
  }
};

}  // namespace

Entry kokkos_tuned() { return with_run<TunedTeamPlane>(with_teams(algorithm())); }

}  // namespace parity::diffusion::plane
