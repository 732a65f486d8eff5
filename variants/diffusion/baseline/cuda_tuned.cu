// SPDX-License-Identifier: BSD-3-Clause
// baseline, tuned CUDA: one kernel per elementary operation, several elements per thread; the halo copies
// need no division.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

constexpr int threads = 256;             ///< per block
const Tuning standard_elements = {{4}};  ///< per thread, for the field update

/// A thread's elements lie a block's width apart, so that each access of a warp is contiguous, whatever the
/// alignment of the field. It computes all values before the first store.
template <int elements, class T, class Value>
__device__ __forceinline__ void store_elements(T* to, std::int64_t size, const Value& value) {
  const std::int64_t first = std::int64_t(blockIdx.x) * (threads * elements) + threadIdx.x;
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

template <class T, int elements>
constexpr unsigned least = least_teams(threads, elements* int(sizeof(T) / 4));

template <int elements, class T>
__global__ void __launch_bounds__(threads, least<T, elements>)
    scale_elements_tuned(const T* from, T* to, T weight, std::int64_t size) {
  store_elements<elements>(to, size, [=](std::int64_t n) { return weight * from[n]; });
}

template <int elements, class T>
__global__ void __launch_bounds__(threads, least<T, elements>)
    add_elements_tuned(const T* from, T* to, std::int64_t size) {
  store_elements<elements>(to, size, [=](std::int64_t n) { return to[n] + from[n]; });
}

/// Copies height x width cells of each plane, one thread per cell of all planes.
template <class T>
__global__ void __launch_bounds__(threads, least<T, 1>)
    copy_cells_tuned(Field<T> field, int nz, int to_row, int from_row, int to_column, int from_column,
                     FastDivide by_width, FastDivide by_height) {
  const unsigned n = blockIdx.x * threads + threadIdx.x, line = by_width(n), k = by_height(line);
  if (k >= unsigned(nz)) return;
  const int j = int(by_height.remainder(line, k)), i = int(by_width.remainder(n, line));
  field(int(k), to_row + j, to_column + i) = field(int(k), from_row + j, from_column + i);
}

/// Scales the flat field without its first and last row.
template <class T>
void scale(const Fields<T>& f, const T* from, T* to, T weight, const Tuning& tuning) {
  ElementConfigs::dispatch(tuning, [&](auto config) {
    constexpr int elements = decltype(config)::count;
    const std::int64_t size = f.p.padded_points() - 2 * f.pitch;
    scale_elements_tuned<elements><<<blocks_for(size, threads * elements), threads, 0, f.stream>>>(
        from + f.pitch, to + f.pitch, weight, size);
  });
}
template <class T>
void add(const Fields<T>& f, const T* from, T* to, const Tuning& tuning) {
  ElementConfigs::dispatch(tuning, [&](auto config) {
    constexpr int elements = decltype(config)::count;
    const std::int64_t size = f.p.padded_points() - 2 * f.pitch;
    add_elements_tuned<elements>
        <<<blocks_for(size, threads * elements), threads, 0, f.stream>>>(from + f.pitch, to + f.pitch, size);
  });
}

}  // namespace

template <class T>
void TunedElementaryOperations::update_halo(const Fields<T>& f, T* field) {
  const int h = int(f.p.halo), nx = int(f.p.nx), ny = int(f.p.ny), rows = int(f.p.rows());
  const auto copy = [&](int to_row, int from_row, int height, int to_column, int from_column, int width) {
    copy_cells_tuned<<<blocks_for(f.p.nz * height * width, threads), threads, 0, f.stream>>>(
        padded(f, field), int(f.p.nz), to_row, from_row, to_column, from_column, FastDivide(width),
        FastDivide(height));
  };
  copy(0, ny, h, h, h, nx);
  copy(ny + h, h, h, h, h, nx);
  copy(0, 0, rows, 0, nx, h);
  copy(0, 0, rows, nx + h, h, h);
}

template <class T>
void TunedElementaryOperations::apply_laplacian(const Fields<T>& f, const Tuning& elements,
                                                Field<const T> from, Field<T> to) {
  scale(f, from.data, to.data, T(laplacian_centre_weight), elements);
  for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -f.pitch, f.pitch})
    add(f, from.data + shift, to.data, elements);
}

template <class T>
void TunedElementaryOperations::update_field(const Fields<T>& f, const Tuning&, Field<const T> in,
                                             Field<T> out) {
  scale<T>(f, out.data, out.data, T(-f.p.alpha), standard_elements);
  add(f, in.data, out.data, standard_elements);
}

#define PARITY_OPERATIONS(T)                                                                                \
  template void TunedElementaryOperations::update_halo(const Fields<T>&, T*);                               \
  template void TunedElementaryOperations::apply_laplacian(const Fields<T>&, const Tuning&, Field<const T>, \
                                                           Field<T>);                                       \
  template void TunedElementaryOperations::update_field(const Fields<T>&, const Tuning&, Field<const T>,    \
                                                        Field<T>);
PARITY_OPERATIONS(float)
PARITY_OPERATIONS(double)

}  // namespace parity::cuda

namespace parity::diffusion::baseline {

Entry cuda_tuned() {
  return cuda::with_steps<cuda::TwoStage, cuda::TunedElementaryOperations>(
      cuda::with_configs<ElementConfigs>(algorithm(), element_axes));
}

}  // namespace parity::diffusion::baseline
