// SPDX-License-Identifier: BSD-3-Clause
#include "tiled_operations.hpp"

#include "diffusion/points.hpp"

namespace parity::diffusion {
namespace {

/// Neighbouring rows of one plane with its halo, on a host: rows of the halo are copied from the row that
/// they repeat, then every row gets its ends, from left to right: a walk through memory in its order, which
/// takes less of the caches' time than one that goes to and fro.
template <class T>
struct HaloRowGroups {
  T* field;
  std::int64_t nx, ny, h;
  RowGroups groups;
  HaloRowGroups(T* f, const Problem& p, int threads)
      : field(f), nx(p.nx), ny(p.ny), h(p.halo), groups(p.nz, p.rows(), threads) {}

  KOKKOS_INLINE_FUNCTION void operator()(int n) const {
    const std::int64_t width = nx, halo = h, height = ny + 2 * halo, pitch = width + 2 * halo;
    const RowGroups::Group group = groups(n);
    const std::int64_t first = group.first, last = group.last;
    T* const plane = field + group.plane * height * pitch;
    for (std::int64_t j = first; j < last; ++j) {
      const std::int64_t source = periodic_source(j, ny, halo);
      if (source == j) continue;
      const T* const from = plane + source * pitch + halo;
      T* const to = plane + j * pitch + halo;
      PARITY_LANES
      for (std::int64_t i = 0; i < width; ++i) to[i] = from[i];
    }
    for (std::int64_t j = first; j < last; ++j) {
      T* const row = plane + j * pitch;
      for (std::int64_t c = 0; c < 2 * halo; ++c) {
        const std::int64_t i = halo_coordinate(c, width, halo);
        row[i] = row[periodic_source(i, width, halo)];
      }
    }
  }
};

}  // namespace

template <class T, class Queue>
void TiledOperations::update_halo(Queue& queue, const Problem& p, const Field<T>& f) {
  const char* const label = "parity::diffusion::halo_tiled";
  if constexpr (compat::exec_is_device()) {
    const HaloPoints<T> points(f.data(), int(p.nx), int(p.ny), int(p.halo));
    for_points<FlatMap<1>>(queue, label, {p.nz, 1, halo_cells(p.nx, p.ny, p.halo)}, points);
  } else {
    const HaloRowGroups<T> groups(f.data(), p, compat::concurrency(queue.exec()));
    queue.parallel_for(label, even_range(queue.exec(), groups.groups.count()), groups);
  }
}

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
  template void TiledOperations::update_halo(Queue&, const Problem&, const Field<T>&);                       \
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
