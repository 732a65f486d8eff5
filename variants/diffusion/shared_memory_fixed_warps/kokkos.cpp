// SPDX-License-Identifier: BSD-3-Clause
// shared_memory_fixed_warps, Kokkos, first version: one team computes one tile, a thread per row, vector
// lanes along x; scratch memory holds the tile and the ring around it, which fixed threads load.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::shared_memory_fixed_warps {
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
    policy.set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size(height + 2, width + 2)));
    Kokkos::parallel_for(
        queue, "parity::diffusion::shared_memory_fixed_warps", policy, KOKKOS_LAMBDA(const Team& team) {
          const Tile tile(team.team_scratch(0), height + 2, width + 2);
          const int n = team.league_rank(), k = n / (down * across);
          // The tile's first point inside the ring and its size, cut at the end of the domain.
          const int j0 = n / across % down * height, i0 = n % across * width;
          const int ny = rows - j0 < height ? rows - j0 : height,
                    nx = columns - i0 < width ? columns - i0 : width;
          parallel_for(Kokkos::TeamThreadRange(team, ny), [&](int r) {
            parallel_for(Kokkos::ThreadVectorRange(team, nx),
                         [&](int c) { tile(r + 1, c + 1) = from(k, j0 + r, i0 + c); });
          });
          // Each of four threads loads one side of the ring.
          parallel_for(Kokkos::TeamThreadRange(team, 4), [&](int side) {
            const bool along_x = side < 2;
            const int end = side % 2 == 0 ? -1 : along_x ? ny : nx;
            parallel_for(Kokkos::ThreadVectorRange(team, along_x ? nx : ny), [&](int at) {
              const int r = along_x ? end : at, c = along_x ? at : end;
              tile(r + 1, c + 1) = from(k, j0 + r, i0 + c);
            });
          });
          team.team_barrier();
          parallel_for(Kokkos::TeamThreadRange(team, ny), [&](int r) {
            parallel_for(Kokkos::ThreadVectorRange(team, nx), [&](int c) {
              to(k, j0 + r, i0 + c) = laplacian_at(tile(r + 1, c + 1), tile(r + 1, c), tile(r + 1, c + 2),
                                                   tile(r, c + 1), tile(r + 2, c + 1));
            });
          });
        });
  }
};

}  // namespace

Entry kokkos() { return with_steps<TwoStage, SharedMemory>(algorithm()); }

}  // namespace parity::diffusion::shared_memory_fixed_warps
