// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_overlapping, Kokkos, first version: one team loads one tile into scratch memory, a thread per
// row, vector lanes along x, and computes its inner points. Tiles overlap by two points.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::shared_memory_overlapping {
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
    const int rows = from.ny(), columns = from.nx(), down = (rows + height - 3) / (height - 2),
              across = (columns + width - 3) / (width - 2);
    TeamPolicy policy(queue.exec(), int(p.nz) * down * across, team_size(height), vector_length());
    policy.set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size(height, width)));
    Kokkos::parallel_for(
        queue, "parity::diffusion::shared_memory_overlapping", policy, KOKKOS_LAMBDA(const Team& team) {
          const Tile tile(team.team_scratch(0), height, width);
          const int n = team.league_rank(), k = n / (down * across);
          // The first point that the tile loads, and the numbers of rows and columns that it loads.
          const int j0 = n / across % down * (height - 2) - 1, i0 = n % across * (width - 2) - 1;
          const int ny = rows + 1 - j0 < height ? rows + 1 - j0 : height,
                    nx = columns + 1 - i0 < width ? columns + 1 - i0 : width;
          parallel_for(Kokkos::TeamThreadRange(team, ny), [&](int r) {
            parallel_for(Kokkos::ThreadVectorRange(team, nx),
                         [&](int c) { tile(r, c) = from(k, j0 + r, i0 + c); });
          });
          team.team_barrier();
          parallel_for(Kokkos::TeamThreadRange(team, 1, ny - 1), [&](int r) {
            parallel_for(Kokkos::ThreadVectorRange(team, 1, nx - 1), [&](int c) {
              to(k, j0 + r, i0 + c) =
                  laplacian_at(tile(r, c), tile(r, c - 1), tile(r, c + 1), tile(r - 1, c), tile(r + 1, c));
            });
          });
        });
  }
};

}  // namespace

Entry kokkos() { return with_steps<TwoStage, SharedMemory>(algorithm()); }

}  // namespace parity::diffusion::shared_memory_overlapping
