// SPDX-License-Identifier: BSD-3-Clause
// fused, Kokkos, the ladder: the same step, with one decision more or less than the first version
// (kokkos.cpp) has.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::fused {
namespace {

using Kokkos::Iterate;
using Kokkos::MDRangePolicy;
using Kokkos::Rank;
constexpr const char* label = "parity::diffusion::fused_ladder";

/// The first version without Iterate::Right: on a GPU x is the slowest index then.
template <class T, class Queue>
void default_iteration(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
  const T alpha = T(p.alpha);
  const std::int64_t h = p.halo;
  queue.parallel_for(
      label, MDRangePolicy<Exec, Rank<3>>(queue.exec(), {0, h, h}, {p.nz, h + p.ny, h + p.nx}),
      KOKKOS_LAMBDA(int k, int j, int i) { out(k, j, i) = update_at(alpha, in, k, j, i); });
}

/// Views (i, j, k) of the layout that a GPU has by default, and the iteration that follows it.
template <class T, class Queue>
void left_layout(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
  const T alpha = T(p.alpha);
  const std::int64_t h = p.halo;
  const Kokkos::View<const T***, Kokkos::LayoutLeft, Exec> from(in.data(), p.pitch(), p.rows(), p.nz);
  const Kokkos::View<T***, Kokkos::LayoutLeft, Exec> to(out.data(), p.pitch(), p.rows(), p.nz);
  queue.parallel_for(
      label,
      MDRangePolicy<Exec, Rank<3, Iterate::Left, Iterate::Left>>(queue.exec(), {h, h, 0},
                                                                 {h + p.nx, h + p.ny, p.nz}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        to(i, j, k) = update_at(alpha, [&](int dj, int di) { return from(i + di, j + dj, k); });
      });
}

/// x as the first index, which is threadIdx.x, and a tile "planes x rows x columns".
template <class T, class Queue>
void tile(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in, const Field<T>& out) {
  const T alpha = T(p.alpha);
  const std::int64_t h = p.halo;
  queue.parallel_for(
      label,
      MDRangePolicy<Exec, Rank<3, Iterate::Left, Iterate::Left>>(
          queue.exec(), {h, h, 0}, {h + p.nx, h + p.ny, p.nz}, {tuning[2], tuning[1], tuning[0]}),
      KOKKOS_LAMBDA(int i, int j, int k) { out(k, j, i) = update_at(alpha, in, k, j, i); });
}

/// And indices of 32 bits.
using Range3Int = MDRangePolicy<Exec, Rank<3, Iterate::Left, Iterate::Left>, Kokkos::IndexType<int>>;
template <class T, class Queue>
void int_index(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
               const Field<T>& out) {
  const T alpha = T(p.alpha);
  const int h = int(p.halo);
  queue.parallel_for(
      label,
      Range3Int(queue.exec(), {h, h, 0}, {h + int(p.nx), h + int(p.ny), int(p.nz)},
                {tuning[2], tuning[1], tuning[0]}),
      KOKKOS_LAMBDA(int i, int j, int k) { out(k, j, i) = update_at(alpha, in, k, j, i); });
}

/// And pointers in place of Views.
template <class T, class Queue>
void pointers(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in, const Field<T>& out) {
  const T alpha = T(p.alpha);
  const int pitch = int(p.pitch()), rows = int(p.rows()), h = int(p.halo);
  const T* const from = in.data();
  T* const to = out.data();
  queue.parallel_for(
      label,
      Range3Int(queue.exec(), {h, h, 0}, {h + int(p.nx), h + int(p.ny), int(p.nz)},
                {tuning[2], tuning[1], tuning[0]}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        const std::size_t centre = (std::size_t(k) * rows + j) * pitch + i;
        to[centre] = update_at(alpha, FlatNeighbours<T>{from + centre, pitch});
      });
}

/// A team a row instead, of the size that Kokkos chooses.
template <class T, class Queue>
void team(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny), h = int(p.halo);
  queue.parallel_for(
      label, Policy(queue.exec(), int(p.nz) * ny, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int k = team.league_rank() / ny, j = h + team.league_rank() - k * ny;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, h, h + nx),
                             [&](int i) { out(k, j, i) = update_at(alpha, in, k, j, i); });
      });
}

std::optional<std::string> refuse_many_rows(const Problem& p, const Tuning&) {
  if (p.nz * p.ny > std::numeric_limits<int>::max())
    return "more than 2^31 - 1 rows: a team's rank has 32 bits";
  return std::nullopt;
}

Entry tiled() {
  return with_limit(
      with_tunings(fused::algorithm(), {"1x2x128", "1x4x64", "1x8x32", "1x1x128", "1x4x128", "1x1x256"},
                   {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"}, "planes x rows x columns of a tile"),
      refuse_large_tile);
}

}  // namespace

PARITY_KOKKOS_VARIANT(kokkos_default_iteration, HaloBefore, default_iteration, fused::algorithm())
PARITY_KOKKOS_VARIANT(kokkos_left_layout, HaloBefore, left_layout, fused::algorithm())
PARITY_KOKKOS_VARIANT(kokkos_tile, HaloBefore, tile, tiled())
PARITY_KOKKOS_VARIANT(kokkos_int, HaloBefore, int_index, tiled())
PARITY_KOKKOS_VARIANT(kokkos_pointers, HaloBefore, pointers, tiled())
PARITY_KOKKOS_VARIANT(kokkos_team, HaloBefore, team, with_limit(fused::algorithm(), refuse_many_rows))

}  // namespace parity::diffusion::fused
