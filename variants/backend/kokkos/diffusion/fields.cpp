// SPDX-License-Identifier: BSD-3-Clause
// What every Kokkos diffusion variant would otherwise compile for itself.
#include "fields.hpp"

#include "runtime/kokkos/queue.hpp"

namespace parity::diffusion {

template <class T>
Fields<T>::Fields(const Problem& problem, const Margin& pad, std::int64_t row_pitch, bool third,
                  bool own_instance)
    : stream_(own_instance && compat::exec_is_device()),
      p(problem),
      pitch(row_pitch),
      exec(compat::exec_on(stream_.get())),
      pad_(pad),
      field_{Field<T>("field 0", p.nz, p.ny + 2 * pad.y, pitch),
             Field<T>("field 1", p.nz, p.ny + 2 * pad.y, pitch)} {
  if (third) laplacian = Field<T>("laplacian", p.nz, p.rows(), p.pitch());
  if (void* const stream = compat::stream_of(exec)) clock_ = runtime::make_clock(stream);
}

template <class T>
void Fields<T>::load(const T* field) const {
  if constexpr (compat::exec_is_device()) {
    Kokkos::deep_copy(field_[0], poison<T>);
    load_interior(p, field, planes(0), compat::stream_of(exec));
    synchronise();
  } else {
    scatter_interior(p, pad_, pitch, field, field_[0].data());
  }
  Kokkos::deep_copy(field_[1], poison<T>);
  if (laplacian.size() > 0) Kokkos::deep_copy(laplacian, poison<T>);
}

template <class T>
void Fields<T>::store(int result, T* padded, std::int64_t h) const {
  if constexpr (compat::exec_is_device())
    store_padded(p, planes(result), h, padded, compat::stream_of(exec), [this] { synchronise(); });
  else
    gather_padded(p, pad_, pitch, field_[result].data(), h, padded);
}

template <class T>
void Fields<T>::copy(int from, int to) const {
  Kokkos::deep_copy(exec, field_[to], field_[from]);
}

template <class T, class Queue>
void update_halo(Queue& queue, const Problem& p, const Field<T>& f) {
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny);
  queue.parallel_for(
      "parity::diffusion::halo", range2(queue.exec(), p.nz, halo_cells(nx, ny, h)),
      KOKKOS_LAMBDA(int n, int k) {
        const auto c = halo_cell(n, nx, ny, h);
        f(k, c.row, c.column) = f(k, c.from_row, c.from_column);
      });
}

template <class T, class Queue>
void copy_field(Queue& queue, const Field<T>& from, const Field<T>& to) {
  const T* const source = from.data();
  T* const target = to.data();
  queue.parallel_for(
      "parity::diffusion::copy", Range1<std::int64_t>(queue.exec(), 0, std::int64_t(from.size())),
      KOKKOS_LAMBDA(std::int64_t n) { target[n] = source[n]; });
}

template class Fields<float>;
template class Fields<double>;
template void update_halo(compat::StreamQueue&, const Problem&, const Field<float>&);
template void update_halo(compat::StreamQueue&, const Problem&, const Field<double>&);
template void update_halo(compat::GraphQueue&, const Problem&, const Field<float>&);
template void update_halo(compat::GraphQueue&, const Problem&, const Field<double>&);
template void copy_field(compat::GraphQueue&, const Field<float>&, const Field<float>&);
template void copy_field(compat::GraphQueue&, const Field<double>&, const Field<double>&);

}  // namespace parity::diffusion
