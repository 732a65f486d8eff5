// SPDX-License-Identifier: BSD-3-Clause
// Common code of Kokkos diffusion variants, compiled once instead of in every variant.
#include "fields.hpp"

#include <algorithm>

#include "runtime/kokkos/queue.hpp"

namespace parity::diffusion {

bool int_reaches_all() {
  using Bytes =
      Kokkos::View<char***, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  // Computes an address only; there is no memory. Unsigned, because an int would overflow.
  char* const start = reinterpret_cast<char*>(std::uintptr_t(1) << 40);
  const Bytes bytes(start, 5, 1024, 1 << 20);
  volatile unsigned last = 4;
  return &bytes(unsigned(last), 0U, 0U) - start == std::int64_t(4) << 30;
}

template <class T>
Fields<T>::Fields(const Problem& problem, const Margin& pad, std::int64_t row_pitch, bool third,
                  bool own_instance)
    : own_(own_instance),
      p(problem),
      pitch(row_pitch),
      exec(own_.exec),
      pad_(pad),
      field_{FieldView<T>("field 0", p.nz, p.ny + 2 * pad.y, pitch),
             FieldView<T>("field 1", p.nz, p.ny + 2 * pad.y, pitch)} {
  if (third) laplacian = FieldView<T>("laplacian", p.nz, p.rows(), p.pitch());
  if (void* const stream = compat::stream_of(exec)) clock_ = runtime::make_clock(stream);
}

template <class T>
void Fields<T>::load(const T* field) const {
  if constexpr (compat::exec_is_device()) {
    Kokkos::deep_copy(field_[0], poison<T>);
    load_on_device(field);
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
    store_on_device(result, padded, h);
  else
    gather_padded(p, pad_, pitch, field_[result].data(), h, padded);
}

namespace {

template <class T, class Space>
using Values = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace

// Kokkos copies only contiguous data between host and GPU: the field without the result is the buffer for it.
template <class T>
void Fields<T>::load_on_device(const T* field) const {
  const std::int64_t nx = p.nx, ny = p.ny, values = p.nz * ny * nx, x = pad_.x, y = pad_.y;
  const FieldView<T> to = field_[0];
  const T* const from = field_[1].data();
  Kokkos::deep_copy(exec, Values<T, Exec>(field_[1].data(), std::size_t(values)),
                    Values<const T, Kokkos::HostSpace>(field, std::size_t(values)));
  Kokkos::parallel_for(
      "parity::diffusion::load", Range1<std::int64_t>(exec, 0, values), KOKKOS_LAMBDA(std::int64_t n) {
        const std::int64_t row = n / nx, k = row / ny;
        to(k, row - k * ny + y, n - row * nx + x) = from[n];
      });
}

template <class T>
void Fields<T>::store_on_device(int result, T* padded, std::int64_t h) const {
  const Margin own = pad_.least(h);
  const std::int64_t nx = p.nx, ny = p.ny, width = nx + 2 * h, height = ny + 2 * h, x = pad_.x, y = pad_.y,
                     own_x = own.x, own_y = own.y, values = p.nz * height * width,
                     most = std::int64_t(field_[0].size());
  const FieldView<T> from = field_[result];
  T* const part = field_[1 - result].data();
  for (std::int64_t first = 0; first < values; first += most) {
    const std::int64_t count = std::min(most, values - first);
    Kokkos::parallel_for(
        "parity::diffusion::store", Range1<std::int64_t>(exec, 0, count), KOKKOS_LAMBDA(std::int64_t n) {
          const std::int64_t row = (first + n) / width, k = row / height;
          const std::int64_t j = row - k * height - h, i = first + n - row * width - h;
          part[n] = from(k, (own_y > 0 ? j : wrap(j, ny)) + y, (own_x > 0 ? i : wrap(i, nx)) + x);
        });
    Kokkos::deep_copy(exec, Values<T, Kokkos::HostSpace>(padded + first, std::size_t(count)),
                      Values<const T, Exec>(part, std::size_t(count)));
    synchronise();
  }
}

template <class T>
void Fields<T>::copy(int from, int to) const {
  Kokkos::deep_copy(exec, field_[to], field_[from]);
}

template <class T, class Queue>
void update_halo(Queue& queue, const Problem& p, const FieldView<T>& f) {
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny);
  Kokkos::parallel_for(
      queue, "parity::diffusion::halo", range2(queue.exec(), p.nz, halo_cells(nx, ny, h)),
      KOKKOS_LAMBDA(int n, int k) {
        const auto c = halo_cell(n, nx, ny, h);
        const std::int64_t plane = k;  // makes offsets 64-bit in Kokkos 5, too
        f(plane, c.row, c.column) = f(plane, c.from_row, c.from_column);
      });
}

template <class T, class Queue>
void copy_field(Queue& queue, const FieldView<T>& from, const FieldView<T>& to) {
  const T* const source = from.data();
  T* const target = to.data();
  Kokkos::parallel_for(
      queue, "parity::diffusion::copy", Range1<std::int64_t>(queue.exec(), 0, std::int64_t(from.size())),
      KOKKOS_LAMBDA(std::int64_t n) { target[n] = source[n]; });
}

template class Fields<float>;
template class Fields<double>;
template void update_halo(compat::StreamQueue&, const Problem&, const FieldView<float>&);
template void update_halo(compat::StreamQueue&, const Problem&, const FieldView<double>&);
template void update_halo(compat::GraphQueue&, const Problem&, const FieldView<float>&);
template void update_halo(compat::GraphQueue&, const Problem&, const FieldView<double>&);
template void copy_field(compat::GraphQueue&, const FieldView<float>&, const FieldView<float>&);
template void copy_field(compat::GraphQueue&, const FieldView<double>&, const FieldView<double>&);

}  // namespace parity::diffusion
