// SPDX-License-Identifier: BSD-3-Clause
// shared_memory, Kokkos, first version: one team computes one tile in scratch memory, a thread per row,
// vector lanes along x; points at a tile's edge read their outer neighbours from the View.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::shared_memory {
namespace {

/// Rows and columns of a tile.
constexpr int height = on_device ? 8 : 16, width = on_device ? 32 : 128;

struct SharedMemory : ElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning&, const Field<T>& from,
                              const Field<T>& to) {
    using Tile = Kokkos::View<T**, Kokkos::LayoutRight, Exec::scratch_memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using Kokkos::parallel_for;
    const int rows = from.ny(), columns = from.nx(), down = (rows + height - 1) / height,
              across = (columns + width - 1) / width;
    TeamPolicy policy(queue.exec(), int(p.nz) * down * across, team_size(height), vector_length());
    policy.set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size(height, width)));
    Kokkos::parallel_for(
        queue, "parity::diffusion::shared_memory", policy, KOKKOS_LAMBDA(const Team& team) {
          const Tile tile(team.team_scratch(0), height, width);
          const int n = team.league_rank(), k = n / (down * across);
          // The tile's first point and its size, cut at the end of the domain.
          const int j0 = n / across % down * height, i0 = n % across * width;
          const int ny = rows - j0 < height ? rows - j0 : height,
                    nx = columns - i0 < width ? columns - i0 : width;
          parallel_for(Kokkos::TeamThreadRange(team, ny), [&](int r) {
            parallel_for(Kokkos::ThreadVectorRange(team, nx),
                         [&](int c) { tile(r, c) = from(k, j0 + r, i0 + c); });
          });
          team.team_barrier();
          parallel_for(Kokkos::TeamThreadRange(team, ny), [&](int r) {
            parallel_for(Kokkos::ThreadVectorRange(team, nx), [&](int c) {
              const int j = j0 + r, i = i0 + c;
              to(k, j, i) = laplacian_at(tile(r, c), c > 0 ? tile(r, c - 1) : from(k, j, i - 1),
                                         c + 1 < nx ? tile(r, c + 1) : from(k, j, i + 1),
                                         r > 0 ? tile(r - 1, c) : from(k, j - 1, i),
                                         r + 1 < ny ? tile(r + 1, c) : from(k, j + 1, i));
            });
          });
        });
  }
};

}  // namespace

Entry kokkos() { return with_steps<TwoStage, SharedMemory>(algorithm()); }

}  // namespace parity::diffusion::shared_memory
