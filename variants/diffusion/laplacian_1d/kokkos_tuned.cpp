// SPDX-License-Identifier: BSD-3-Clause
// laplacian_1d, tuned Kokkos: a flat range, several rows a thread, divisions prepared on the host; on a host
// groups of rows with a vector loop.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"

namespace parity::diffusion::laplacian_1d {
namespace {

/// Threads run over the columns first, then over chunks of some rows, then over the planes.
template <class Config, class T, class Queue>
void laplacian_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& from,
                         const FieldRows<T>& to) {
  const int nz = int(p.nz), ny = int(p.rows()) - 2 * from.margin, nx = int(p.pitch()) - 2 * from.margin;
  const std::int64_t chunks = ceil_divide(ny, Config::rows),
                     teams = ceil_divide(chunks * nx * p.nz, Config::threads);
  const runtime::FastDivide by_width(nx), by_chunks(chunks);
  queue.parallel_for(
      "parity::diffusion::laplacian_1d_tuned", flat_range<Config, T>(queue.exec(), teams * Config::threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned chunk = by_width(n), k = by_chunks(chunk);
        if (k >= unsigned(nz)) return;
        const int i = int(by_width.remainder(n, chunk));
        int j = int(by_chunks.remainder(chunk, k)) * Config::rows;
        if (j + Config::rows <= ny) {
          // All values before the first store: what rows have in common is loaded once, and loads overlap.
          T values[Config::rows];
          PARITY_UNROLL
          for (int u = 0; u < Config::rows; ++u) values[u] = laplacian_at(from.around(int(k), j + u, i));
          PARITY_UNROLL
          for (int u = 0; u < Config::rows; ++u) to(int(k), j + u, i) = values[u];
        } else {
          PARITY_UNROLL_BY(1)
          for (; j < ny; ++j) to(int(k), j, i) = laplacian_at(from.around(int(k), j, i));
        }
      });
}

template <class T, class Queue>
void laplacian_on_host(Queue& queue, const Problem& p, const FieldRows<const T>& from,
                       const FieldRows<T>& to) {
  const std::int64_t ny = p.rows() - 2 * from.margin;
  const std::ptrdiff_t nx = p.pitch() - 2 * from.margin, pitch = p.pitch();
  const RowGroups groups(p.nz, ny, compat::concurrency(queue.exec()));
  queue.parallel_for(
      "parity::diffusion::laplacian_1d_tuned", even_range(queue.exec(), groups.count()),
      KOKKOS_LAMBDA(int n) {
        const RowGroups::Group group = groups(n);
        for (int j = group.first; j < group.last; ++j) {
          const T* const f = from.row(group.plane, j);
          T* const t = to.row(group.plane, j);
          PARITY_LANES
          for (std::ptrdiff_t i = 0; i < nx; ++i)
            t[i] = laplacian_at(f[i], f[i - 1], f[i + 1], f[i - pitch], f[i + pitch]);
        }
      });
}

struct TunedLaplacianKernel : TunedElementaryOperations {
  template <class T, class Queue>
  static void apply_laplacian(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& from,
                              const Field<T>& to, int m) {
    const FieldRows<const T> f = field_rows<const T>(from, m);
    const FieldRows<T> t = field_rows<T>(to, m);
    if constexpr (on_device)
      FlatConfigs::dispatch(tuning,
                            [&](auto config) { laplacian_on_device<decltype(config)>(queue, p, f, t); });
    else
      laplacian_on_host(queue, p, f, t);
  }
};

}  // namespace

Entry kokkos_tuned() {
  return with_operations<TunedLaplacianKernel>(with_flat_rows(laplacian_1d_algorithm<on_device>()));
}

}  // namespace parity::diffusion::laplacian_1d
