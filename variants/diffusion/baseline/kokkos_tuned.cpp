// SPDX-License-Identifier: BSD-3-Clause
// baseline, tuned Kokkos: one kernel per elementary operation, several elements per thread in blocks of a
// fixed size, halo copies without a division; on a host, a vector loop over pieces of rows.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/two_stage.hpp"
#include "runtime/kokkos/blocks.hpp"

namespace parity::diffusion {
namespace {

constexpr int threads = 256;             ///< per block
constexpr std::int64_t piece = 4096;     ///< elements that a host thread processes together
const Tuning standard_elements = {{4}};  ///< per thread, for the field update

template <class T>
struct Scale {
  const T* from;
  T weight;
  KOKKOS_INLINE_FUNCTION T operator()(std::int64_t n) const { return weight * from[n]; }
};
template <class T>
struct Add {
  const T *from, *to;
  KOKKOS_INLINE_FUNCTION T operator()(std::int64_t n) const { return to[n] + from[n]; }
};

/// A thread's elements lie a block's width apart, so that each access of a warp is contiguous, whatever the
/// alignment of the field. It computes all values before the first store. A kernel that only scales or adds
/// is faster in wider blocks than a range's; on small fields its launch dominates its cost.
template <int elements, class T, class Value>
struct StoreElements {
  T* to;
  Value value;
  std::int64_t size;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t thread, std::int64_t) const {
    const std::int64_t first = thread / threads * (threads * elements) + thread % threads;
    if constexpr (elements == 1) {
      // No loop here: nvcc 12.4 compiles a scaled copy for minutes if a loop never runs.
      if (first < size) to[first] = value(first);
    } else if (first + (elements - 1) * threads < size) {
      T values[elements];
      PARITY_UNROLL
      for (int u = 0; u < elements; ++u) values[u] = value(first + u * threads);
      PARITY_UNROLL
      for (int u = 0; u < elements; ++u) to[first + u * threads] = values[u];
    } else {
      PARITY_UNROLL_BY(1)
      for (std::int64_t n = first; n < size; n += threads) to[n] = value(n);
    }
  }
};
template <int elements, class T, class Queue, class Value>
void store_on_device(Queue& queue, const char* label, std::int64_t size, T* to, const Value& value) {
  const auto policy =
      compat::blocks_of_threads<threads, least_teams(threads, elements * int(sizeof(T) / 4)), std::int64_t>(
          queue.exec(), ceil_divide(size, threads * elements), threads);
  Kokkos::parallel_for(queue, label, policy, StoreElements<elements, T, Value>{to, value, size});
}

template <class T, class Queue, class Value>
void store_on_host(Queue& queue, const char* label, std::int64_t size, T* to, const Value& value) {
  Kokkos::parallel_for(
      queue, label, even_range(queue.exec(), ceil_divide(size, piece)), KOKKOS_LAMBDA(int p) {
        const Value v = value;
        const std::int64_t first = p * piece, last = first + piece < size ? first + piece : size;
        PARITY_LANES
        for (std::int64_t n = first; n < last; ++n) to[n] = v(n);
      });
}

template <class T, class Queue, class Value>
void store(Queue& queue, const char* label, std::int64_t size, T* to, const Value& value,
           const Tuning& tuning) {
  if constexpr (on_device)
    ElementConfigs::dispatch(tuning, [&](auto config) {
      store_on_device<decltype(config)::count>(queue, label, size, to, value);
    });
  else
    store_on_host(queue, label, size, to, value);
}

/// Scales the flat field without its first and last row.
template <class T, class Queue>
void scale(Queue& queue, const Problem& p, const T* from, T* to, T weight, const Tuning& elements) {
  store(queue, "parity::diffusion::scale_tuned", p.padded_points() - 2 * p.pitch(), to + p.pitch(),
        Scale<T>{from + p.pitch(), weight}, elements);
}
template <class T, class Queue>
void add(Queue& queue, const Problem& p, const T* from, T* to, const Tuning& elements) {
  store(queue, "parity::diffusion::add_tuned", p.padded_points() - 2 * p.pitch(), to + p.pitch(),
        Add<T>{from + p.pitch(), to + p.pitch()}, elements);
}

/// Copies height x width cells of each plane, one thread of a flat range per cell.
template <class T, class Queue>
void copy_on_device(Queue& queue, const Problem& p, const FieldRows<T>& field, int to_row, int from_row,
                    int height, int to_column, int from_column, int width) {
  using Threads = Tile<1, 1, threads>;
  const unsigned nz = unsigned(p.nz);
  const runtime::FastDivide by_width(width), by_height(height);
  const std::int64_t teams = ceil_divide(p.nz * height * width, threads);
  Kokkos::parallel_for(
      queue, "parity::diffusion::copy_cells_tuned", flat_range<Threads, T>(queue.exec(), teams * threads),
      KOKKOS_LAMBDA(unsigned n) {
        const unsigned line = by_width(n), k = by_height(line);
        if (k >= nz) return;
        const int j = int(by_height.remainder(line, k)), i = int(by_width.remainder(n, line));
        field(int(k), to_row + j, to_column + i) = field(int(k), from_row + j, from_column + i);
      });
}

template <class T, class Queue>
void copy_on_host(Queue& queue, const Problem& p, const FieldRows<T>& field, int to_row, int from_row,
                  int height, int to_column, int from_column, int width) {
  const RowGroups groups(p.nz, height, compat::concurrency(queue.exec()));
  Kokkos::parallel_for(
      queue, "parity::diffusion::copy_cells_tuned", even_range(queue.exec(), groups.count()),
      KOKKOS_LAMBDA(int n) {
        const RowGroups::Group group = groups(n);
        const std::ptrdiff_t nx = width;
        for (int j = group.first; j < group.last; ++j) {
          const T* const from = field.row(group.plane, from_row + j) + from_column;
          T* const to = field.row(group.plane, to_row + j) + to_column;
          PARITY_LANES
          for (std::ptrdiff_t i = 0; i < nx; ++i) to[i] = from[i];
        }
      });
}

}  // namespace

template <class T, class Queue>
void TunedElementaryOperations::update_halo(Queue& queue, const Problem& p, const FieldView<T>& view) {
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny), rows = int(p.rows());
  const Field<T> field{view, 0};
  const auto copy = [&](int to_row, int from_row, int height, int to_column, int from_column, int width) {
    if constexpr (on_device)
      copy_on_device(queue, p, field_rows<T>(field), to_row, from_row, height, to_column, from_column, width);
    else
      copy_on_host(queue, p, field_rows<T>(field), to_row, from_row, height, to_column, from_column, width);
  };
  copy(0, ny, h, h, h, nx);
  copy(ny + h, h, h, h, h, nx);
  copy(0, 0, rows, 0, nx, h);
  copy(0, 0, rows, nx + h, h, h);
}

template <class T, class Queue>
void TunedElementaryOperations::apply_laplacian(Queue& queue, const Problem& p, const Tuning& elements,
                                                const Field<T>& from, const Field<T>& to) {
  scale<T>(queue, p, from.data(), to.data(), T(laplacian_centre_weight), elements);
  for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -p.pitch(), p.pitch()})
    add<T>(queue, p, from.data() + shift, to.data(), elements);
}

template <class T, class Queue>
void TunedElementaryOperations::update_field(Queue& queue, const Problem& p, const Tuning&,
                                             const Field<T>& in, const Field<T>& out) {
  scale<T>(queue, p, out.data(), out.data(), T(-p.alpha), standard_elements);
  add<T>(queue, p, in.data(), out.data(), standard_elements);
}

namespace baseline {
Entry kokkos_tuned() {
  return with_steps<TwoStage, TunedElementaryOperations>(
      with_configs<ElementConfigs>(algorithm(), element_axes));
}
}  // namespace baseline

#define PARITY_OPERATIONS(T, Queue)                                                                  \
  template void TunedElementaryOperations::update_halo(Queue&, const Problem&, const FieldView<T>&); \
  template void TunedElementaryOperations::apply_laplacian(Queue&, const Problem&, const Tuning&,    \
                                                           const Field<T>&, const Field<T>&);        \
  template void TunedElementaryOperations::update_field(Queue&, const Problem&, const Tuning&,       \
                                                        const Field<T>&, const Field<T>&);
PARITY_OPERATIONS(float, compat::StreamQueue)
PARITY_OPERATIONS(double, compat::StreamQueue)
PARITY_OPERATIONS(float, compat::GraphQueue)
PARITY_OPERATIONS(double, compat::GraphQueue)

}  // namespace parity::diffusion
