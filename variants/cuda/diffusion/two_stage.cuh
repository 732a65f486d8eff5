// SPDX-License-Identifier: BSD-3-Clause
// The operations of the steps with a Laplacian field, which the original work's custom kernels replace one
// after the other. Twins of those in diffusion/kokkos/two_stage.hpp.
#pragma once
#include "stepped.cuh"

namespace parity::cuda {

/// rows x columns cells of each plane to (to_row, to_column) from (from_row, from_column); grid (cells, nz).
template <class T>
__global__ void copy_block(T* f, int pitch, int plane_rows, int to_row, int from_row, int rows, int to_column,
                           int from_column, int columns) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= rows * columns) return;
  const int j = n / columns, i = n - j * columns;
  T* const plane = f + std::size_t(blockIdx.y) * pitch * plane_rows;
  plane[std::size_t(to_row + j) * pitch + to_column + i] =
      plane[std::size_t(from_row + j) * pitch + from_column + i];
}

template <class T>
__global__ void scale(const T* from, T* to, T weight, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[i] = weight * from[i];
}

template <class T>
__global__ void add(const T* from, T* to, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

/// Laplacian everywhere but in a margin of m points around each plane; grid (x, y, nz).
template <class T>
__global__ void laplacian_2d(const T* __restrict__ from, T* __restrict__ to, int pitch, int rows, int m) {
  const int i = m + blockIdx.x * blockDim.x + threadIdx.x, j = m + blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= pitch - m || j >= rows - m) return;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  to[c] = laplacian(from[c], from[c - 1], from[c + 1], from[c - pitch], from[c + pitch]);
}

/// Tilings "rows x columns".
template <class T>
struct Laplacian2d {
  dim3 block;
  Laplacian2d(const Problem&, const Tuning& t) : block(block_of(t)) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int m) const {
    const Problem& p = f.p;
    const dim3 grid = plane_grid(p.pitch() - 2 * m, p.rows() - 2 * m, p.nz, block);
    laplacian_2d<<<grid, block, 0, f.stream>>>(from, to, int(p.pitch()), int(p.rows()), m);
    PARITY_CUDA(cudaGetLastError());
  }
};

/// Bottom and top rows without corners, then left and right columns over the full height.
template <class T>
void copy_halo(const Fields<T>& f, T* field) {
  const Problem& p = f.p;
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny), all_rows = int(p.rows());
  const auto copy = [&](int to_row, int from_row, int rows, int to_column, int from_column, int columns) {
    const dim3 grid(blocks_for(std::int64_t(rows) * columns, 256), unsigned(p.nz));
    copy_block<<<grid, 256, 0, f.stream>>>(field, int(p.pitch()), all_rows, to_row, from_row, rows, to_column,
                                           from_column, columns);
    PARITY_CUDA(cudaGetLastError());
  };
  copy(0, ny, h, h, h, nx);
  copy(ny + h, h, h, h, h, nx);
  copy(0, 0, all_rows, 0, nx, h);
  copy(0, 0, all_rows, nx + h, h, h);
}

/// to = weight * from over the flat field without a row at each end.
template <class T>
void scale_flat(const Fields<T>& f, const T* from, T* to, T weight) {
  const std::int64_t n = f.p.padded_points() - 2 * f.pitch;
  scale<<<blocks_for(n, 256), 256, 0, f.stream>>>(from + f.pitch, to + f.pitch, weight, n);
  PARITY_CUDA(cudaGetLastError());
}
/// to += from over the same range.
template <class T>
void add_flat(const Fields<T>& f, const T* from, T* to) {
  const std::int64_t n = f.p.padded_points() - 2 * f.pitch;
  add<<<blocks_for(n, 256), 256, 0, f.stream>>>(from + f.pitch, to + f.pitch, n);
  PARITY_CUDA(cudaGetLastError());
}
/// out = in - alpha out as two elementary operations.
template <class T>
void update_by_operations(const Fields<T>& f, const T* in, T* out) {
  scale_flat<T>(f, out, out, T(-f.p.alpha));
  add_flat(f, in, out);
}

/// A step whose halo and update are elementary operations. Laplacian<T> is made of a problem and a tuning;
///   void operator()(const Fields<T>&, const T* from, T* to, int m)
/// forms it everywhere but in a margin of m points around each plane.
template <template <class> class Laplacian>
struct Elementary {
  template <class T>
  struct Step {
    Fields<T> f;
    Laplacian<T> form_laplacian;
    Step(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}
    void operator()(T* in, T* out) const {
      const int h = int(f.p.halo);
      copy_halo(f, in);
      form_laplacian(f, in, f.laplacian(), h - 1);
      form_laplacian(f, f.laplacian(), out, h);
      update_by_operations(f, in, out);
    }
    void finish(T* result) const { copy_halo(f, result); }
  };
};

/// The entry of a step with a Laplacian field.
template <template <class> class Step>
Entry two_stage_entry(std::vector<std::string> tunings, const char* axes) {
  Entry e = stepped_entry<Step>(std::move(tunings), axes);
  e.fields = 3;
  return e;
}
template <template <class> class Laplacian>
Entry elementary_entry(std::vector<std::string> tunings, const char* axes) {
  return two_stage_entry<Elementary<Laplacian>::template Step>(std::move(tunings), axes);
}

}  // namespace parity::cuda
