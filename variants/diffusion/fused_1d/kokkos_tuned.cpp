// SPDX-License-Identifier: BSD-3-Clause
// fused_1d, Kokkos, tuned: on a GPU, a thread updates several rows of a column, and the host prepares the
// divisions; on a host, a vector loop updates each row of a group.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/tuned.hpp"

namespace parity::diffusion::fused_1d {
namespace {

template <class Config, class T, class Queue>
void step_on_device(Queue& queue, const Problem& p, const FieldRows<const T>& in, T* out) {
  constexpr int rows = Config::rows;
  const T alpha = T(p.alpha);
  const int nx = int(p.nx), ny = int(p.ny), nz = int(p.nz);
  const std::int64_t chunks = ceil_divide(ny, rows), teams = ceil_divide(chunks * nx * nz, Config::threads);
  const runtime::FastDivide by_width(nx), by_chunks(chunks);
  Kokkos::parallel_for(
      queue, "parity::diffusion::fused_1d_tuned",
      flat_range<Config, T>(queue.exec(), teams * Config::threads), KOKKOS_LAMBDA(unsigned n) {
        const unsigned line = by_width(n), plane = by_chunks(line);
        const int k = int(plane), i = int(by_width.remainder(n, line));
        int j = int(by_chunks.remainder(line, plane)) * rows;
        if (k >= nz) return;
        if (j + rows <= ny) {
          // Compute all values before the first store: rows then share loads, and loads overlap.
          T values[rows];
          PARITY_UNROLL
          for (int u = 0; u < rows; ++u) values[u] = update_at(alpha, in.around(k, j + u, i));
          PARITY_UNROLL
          for (int u = 0; u < rows; ++u) out[in.offset(k, j + u) + i] = values[u];
        } else {
          PARITY_UNROLL_BY(1)
          for (; j < ny; ++j) out[in.offset(k, j) + i] = update_at(alpha, in.around(k, j, i));
        }
      });
}

struct Step {
  static constexpr bool on_pointers = true;
  template <class T, class Queue>
  void operator()(Queue& queue, const Problem& p, const Tuning& tuning, const Field<T>& in,
                  const Field<T>& out) const {
    const FieldRows<const T> from = field_rows<const T>(in);
    if constexpr (compat::exec_is_device())
      FlatConfigs::dispatch(
          tuning, [&](auto config) { step_on_device<decltype(config)>(queue, p, from, out.data()); });
    else
      fused_on_host(queue, p, from, out.data());
  }
};

}  // namespace

Entry kokkos_tuned() { return with_steps<TunedHaloBefore, Step>(with_flat_rows(algorithm())); }

}  // namespace parity::diffusion::fused_1d
