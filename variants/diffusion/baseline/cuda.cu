// SPDX-License-Identifier: BSD-3-Clause
// baseline, CUDA, first version: one kernel per elementary operation, one thread per element.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/two_stage.cuh"

namespace parity::cuda {
namespace {

constexpr int threads = 256;  ///< per block

template <class T>
__global__ void scale_elements(const T* from, T* to, T weight, std::int64_t size) {
  const std::int64_t n = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < size) to[n] = weight * from[n];
}

template <class T>
__global__ void add_elements(const T* from, T* to, std::int64_t size) {
  const std::int64_t n = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < size) to[n] += from[n];
}

/// Copies height x width cells of each plane; grid (cells, nz).
template <class T>
__global__ void copy_cells(Field<T> field, int to_row, int from_row, int height, int to_column,
                           int from_column, int width) {
  const int k = blockIdx.y, n = blockIdx.x * blockDim.x + threadIdx.x, j = n / width, i = n - j * width;
  if (j < height) field(k, to_row + j, to_column + i) = field(k, from_row + j, from_column + i);
}

/// Scales the flat field without its first and last row.
template <class T>
void scale(const Fields<T>& f, const T* from, T* to, T weight) {
  const std::int64_t size = f.p.padded_points() - 2 * f.pitch;
  scale_elements<<<blocks_for(size, threads), threads, 0, f.stream>>>(from + f.pitch, to + f.pitch, weight,
                                                                      size);
}
template <class T>
void add(const Fields<T>& f, const T* from, T* to) {
  const std::int64_t size = f.p.padded_points() - 2 * f.pitch;
  add_elements<<<blocks_for(size, threads), threads, 0, f.stream>>>(from + f.pitch, to + f.pitch, size);
}

}  // namespace

template <class T>
void ElementaryOperations::update_halo(const Fields<T>& f, T* field) {
  const int h = int(f.p.halo), nx = int(f.p.nx), ny = int(f.p.ny), rows = int(f.p.rows());
  const auto copy = [&](int to_row, int from_row, int height, int to_column, int from_column, int width) {
    const dim3 grid(blocks_for(std::int64_t(height) * width, threads), unsigned(f.p.nz));
    copy_cells<<<grid, threads, 0, f.stream>>>(padded(f, field), to_row, from_row, height, to_column,
                                               from_column, width);
  };
  copy(0, ny, h, h, h, nx);
  copy(ny + h, h, h, h, h, nx);
  copy(0, 0, rows, 0, nx, h);
  copy(0, 0, rows, nx + h, h, h);
}

template <class T>
void ElementaryOperations::apply_laplacian(const Fields<T>& f, const Tuning&, Field<const T> from,
                                           Field<T> to) {
  scale(f, from.data, to.data, T(laplacian_centre_weight));
  for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -f.pitch, f.pitch})
    add(f, from.data + shift, to.data);
}

template <class T>
void ElementaryOperations::update_field(const Fields<T>& f, const Tuning&, Field<const T> in, Field<T> out) {
  scale<T>(f, out.data, out.data, T(-f.p.alpha));
  add(f, in.data, out.data);
}

#define PARITY_OPERATIONS(T)                                                                           \
  template void ElementaryOperations::update_halo(const Fields<T>&, T*);                               \
  template void ElementaryOperations::apply_laplacian(const Fields<T>&, const Tuning&, Field<const T>, \
                                                      Field<T>);                                       \
  template void ElementaryOperations::update_field(const Fields<T>&, const Tuning&, Field<const T>, Field<T>);
PARITY_OPERATIONS(float)
PARITY_OPERATIONS(double)

}  // namespace parity::cuda

namespace parity::diffusion::baseline {

Entry cuda() {
  Entry e = algorithm();
  e.refuse += cuda::refuse_planes;
  return cuda::with_steps<cuda::TwoStage, cuda::ElementaryOperations>(e);
}

}  // namespace parity::diffusion::baseline
