// SPDX-License-Identifier: BSD-3-Clause
#include "tiled_operations.hpp"

#include "diffusion/points.hpp"

namespace parity::diffusion {
template <class T, class Queue>
void TiledOperations::copy_halo(Queue& queue, const Problem& p, const Field<T>& f) {
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny), rows = int(p.rows());
  const auto copy = [&](int to_row, int from_row, int height, int to_column, int from_column, int width) {
    const CopyPoints<T> points{f.data(), int(p.pitch()), rows, to_row, from_row, to_column, from_column};
    for_points<FlatMap<1>>(queue, "parity::diffusion::copy_halo_tiled", {p.nz, height, width}, points);
  };
  copy(0, ny, h, h, h, nx);
  copy(ny + h, h, h, h, h, nx);
  copy(0, 0, rows, 0, nx, h);
  copy(0, 0, rows, nx + h, h, h);
}

template <class T, class Queue>
void TiledOperations::scale(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to,
                            T weight, const Tuning& elements) {
  const ScaleLine<T> line{from.data() + p.pitch(), to.data() + p.pitch(), weight};
  LineForms::with(elements, [&](auto form) {
    for_line<decltype(form)::count>(queue, "parity::diffusion::scale_flat", p.padded_points() - 2 * p.pitch(),
                                    line);
  });
}

template <class T, class Queue>
void TiledOperations::add(Queue& queue, const Problem& p, const Field<T>& from, std::int64_t shift,
                          const Field<T>& to, const Tuning& elements) {
  const AddLine<T> line{from.data() + p.pitch() + shift, to.data() + p.pitch()};
  LineForms::with(elements, [&](auto form) {
    for_line<decltype(form)::count>(queue, "parity::diffusion::add_flat", p.padded_points() - 2 * p.pitch(),
                                    line);
  });
}

template <class T, class Queue>
void TiledOperations::laplacian(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to,
                                int m, const Tuning& tile) {
  const LaplacianPoints<T> points{from.data(), to.data(), {int(p.pitch()), int(p.rows()), m}};
  PointTiles::with(tile, [&](auto form) {
    for_points<TileMap<decltype(form)>>(queue, "parity::diffusion::laplacian_tiled", inside(p, m), points);
  });
}

#define PARITY_TILED(T, Queue)                                                                               \
  template void TiledOperations::copy_halo(Queue&, const Problem&, const Field<T>&);                         \
  template void TiledOperations::scale(Queue&, const Problem&, const Field<T>&, const Field<T>&, T,          \
                                       const Tuning&);                                                       \
  template void TiledOperations::add(Queue&, const Problem&, const Field<T>&, std::int64_t, const Field<T>&, \
                                     const Tuning&);                                                         \
  template void TiledOperations::laplacian(Queue&, const Problem&, const Field<T>&, const Field<T>&, int,    \
                                           const Tuning&);
PARITY_TILED(float, compat::StreamQueue)
PARITY_TILED(double, compat::StreamQueue)
PARITY_TILED(float, compat::GraphQueue)
PARITY_TILED(double, compat::GraphQueue)

}  // namespace parity::diffusion
