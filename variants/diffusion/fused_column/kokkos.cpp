// SPDX-License-Identifier: BSD-3-Clause
// fused_column, Kokkos, first version: one MDRange over the columns of chunks of rows; Views have no halo.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/stepped.hpp"

namespace parity::diffusion::fused_column {
namespace {

struct Step {
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning&, const Field<T>& in,
                  const Field<T>& out) const {
    using Policy =
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
    constexpr int rows = rows_of_thread;
    const T alpha = T(p.alpha);
    const int nx = int(p.nx), ny = int(p.ny);
    Kokkos::parallel_for(
        queue, "parity::diffusion::fused_column",
        Policy(queue.exec(), {0, 0, 0}, {p.nz, (ny + rows - 1) / rows, p.nx}),
        KOKKOS_LAMBDA(int k, int chunk, int i) {
          const int west = wrap(i - 1, nx), far_west = wrap(i - 2, nx), east = wrap(i + 1, nx),
                    far_east = wrap(i + 2, nx);
          const int first = chunk * rows, last = first + rows < ny ? first + rows : ny;
          int ahead = wrap(first + 1, ny), far_ahead = wrap(first + 2, ny);
          Window<T> window;
          for (int d = 1; d < 5; ++d) window.centre[d] = in(k, wrap(first + d - 3, ny), i);
          for (int d = 1; d < 3; ++d) {
            const int j = wrap(first + d - 2, ny);
            window.west[d] = in(k, j, west);
            window.east[d] = in(k, j, east);
          }
          for (int j = first; j < last; ++j) {
            window.advance(in(k, far_ahead, i), in(k, ahead, west), in(k, ahead, east));
            out(k, j, i) = window.updated(alpha, in(k, j, far_west), in(k, j, far_east));
            ahead = far_ahead;
            far_ahead = far_ahead + 1 < ny ? far_ahead + 1 : 0;
          }
        });
  }
};

}  // namespace

Entry kokkos() { return with_steps<Periodic, Step>(algorithm()); }

}  // namespace parity::diffusion::fused_column
