// SPDX-License-Identifier: BSD-3-Clause
// What the native variants with a Laplacian field of their own share: that field, and the operations that the
// first study's custom kernels replace one after the other. Twins of those in kokkos_two_stage.hpp.
#pragma once
#include "cuda_steps.cuh"

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

/// A step of halo, Laplacian, Laplacian, update; derived classes replace the parts that they have kernels
/// for.
template <class T>
class TwoStage : public CudaSteps<T> {
 public:
  explicit TwoStage(const Problem& p) : CudaSteps<T>(p, p.halo), tmp_(p.padded_points()) {}

  void load(const T* field) override {
    tmp_.poison_on(this->stream_);
    CudaSteps<T>::load(field);
  }

 protected:
  void launch_step(T* in, T* out) override {
    const int h = int(this->p_.halo);
    halo(in);
    form_laplacian(in, tmp_.data(), h - 1);
    form_laplacian(tmp_.data(), out, h);
    apply_update(in, out);
  }
  void finish(int at) override { halo(this->field_[at].data()); }

  /// Laplacian everywhere but in a margin of m points around each plane.
  virtual void form_laplacian(const T* from, T* to, int m) = 0;
  virtual void halo(T* f) { halo_by_copies(f); }
  virtual void apply_update(const T* in, T* out) {
    const std::int64_t pitch = this->p_.pitch(), n = this->p_.padded_points() - 2 * pitch;
    scale_flat(out + pitch, out + pitch, T(-this->p_.alpha), n);
    add_flat(in + pitch, out + pitch, n);
  }

  /// Bottom and top rows without corners, then left and right columns over the full height.
  void halo_by_copies(T* f) {
    const Problem& p = this->p_;
    const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny), rows = int(p.rows());
    copy(f, 0, ny, h, h, h, nx);
    copy(f, ny + h, h, h, h, h, nx);
    copy(f, 0, 0, rows, 0, nx, h);
    copy(f, 0, 0, rows, nx + h, h, h);
  }
  void scale_flat(const T* from, T* to, T weight, std::int64_t n) {
    scale<<<blocks_for(n, 256), 256, 0, this->stream_>>>(from, to, weight, n);
    PARITY_CUDA(cudaGetLastError());
  }
  void add_flat(const T* from, T* to, std::int64_t n) {
    add<<<blocks_for(n, 256), 256, 0, this->stream_>>>(from, to, n);
    PARITY_CUDA(cudaGetLastError());
  }
  void laplacian_by_blocks(const T* from, T* to, int m, dim3 block) {
    const Problem& p = this->p_;
    const dim3 grid = plane_grid(p.pitch() - 2 * m, p.rows() - 2 * m, p.nz, block);
    laplacian_2d<<<grid, block, 0, this->stream_>>>(from, to, int(p.pitch()), int(p.rows()), m);
    PARITY_CUDA(cudaGetLastError());
  }

  Buffer<T> tmp_;

 private:
  void copy(T* f, int to_row, int from_row, int rows, int to_column, int from_column, int columns) {
    copy_block<<<dim3(blocks_for(std::int64_t(rows) * columns, 256), unsigned(this->p_.nz)), 256, 0,
                 this->stream_>>>(f, int(this->p_.pitch()), int(this->p_.rows()), to_row, from_row, rows,
                                  to_column, from_column, columns);
    PARITY_CUDA(cudaGetLastError());
  }
};

template <template <class> class V>
Entry two_stage_entry(std::vector<std::string> tunings, const char* axes) {
  Entry e = stepped_entry<V>(std::move(tunings), axes);
  e.fields = 3;
  return e;
}

}  // namespace parity::cuda
