// SPDX-License-Identifier: BSD-3-Clause
// What the native CUDA diffusion variants share: a stream, two fields, loading, storing and the halo kernels.
#pragma once
#include <memory>
#include <vector>

#include "cuda/check.cuh"
#include "cuda/device.hpp"
#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/variant.hpp"

namespace parity::cuda {

using namespace parity::diffusion;

/// Device memory of n elements, freed with its owner.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::int64_t n) : size_(n) { PARITY_CUDA(cudaMalloc(&data_, bytes())); }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::size_t bytes() const { return std::size_t(size_) * sizeof(T); }
  friend void swap(Buffer& a, Buffer& b) { std::swap(a.data_, b.data_); }

 private:
  std::int64_t size_;
  T* data_ = nullptr;
};

inline unsigned blocks_for(std::int64_t n, int block) { return unsigned((n + block - 1) / block); }

/// Bottom and top halo rows; grid (x, 2h rows, nz).
template <class T>
__global__ void halo_rows(T* f, int nx, int ny, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || r >= 2 * h) return;
  const int pitch = nx + 2 * h, j = halo_coordinate(r, ny, h);
  T* const plane = f + std::size_t(blockIdx.z) * pitch * (ny + 2 * h) + h + i;
  plane[std::size_t(j) * pitch] = plane[std::size_t(periodic_source(j, ny, h)) * pitch];
}

/// Left and right halo columns over the full height; grid (2h columns, rows, nz).
template <class T>
__global__ void halo_columns(T* f, int nx, int ny, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= 2 * h || j >= ny + 2 * h) return;
  const int pitch = nx + 2 * h, i = halo_coordinate(c, nx, h);
  T* const row = f + (std::size_t(blockIdx.z) * (ny + 2 * h) + j) * pitch;
  row[i] = row[periodic_source(i, nx, h)];
}

/// Base of the variants that keep a field and its successor; pad is the halo width, or 0 for wrap indexing.
template <class T>
class CudaFieldPair : public Variant<T> {
 public:
  CudaFieldPair(const Problem& p, std::int64_t pad)
      : p_(p), pad_(pad), in_((p.nx + 2 * pad) * (p.ny + 2 * pad) * p.nz), out_(in_.size()) {
    PARITY_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    clock_ = make_clock(stream_);
  }
  ~CudaFieldPair() override {
    clock_.reset();
    cudaStreamDestroy(stream_);
  }

  void load(const T* field) override {
    std::vector<T> host(std::size_t(in_.size()));
    scatter_interior(p_, pad_, field, host.data());
    PARITY_CUDA(cudaMemcpyAsync(in_.data(), host.data(), in_.bytes(), cudaMemcpyHostToDevice, stream_));
    PARITY_CUDA(cudaMemsetAsync(out_.data(), 0xff, out_.bytes(), stream_));  // all bits set is a NaN
    PARITY_CUDA(cudaStreamSynchronize(stream_));
  }
  void synchronise() override { PARITY_CUDA(cudaStreamSynchronize(stream_)); }
  void store(T* padded) override {
    std::vector<T> host(pad_ == 0 ? std::size_t(in_.size()) : 0);
    T* const to = pad_ == 0 ? host.data() : padded;
    PARITY_CUDA(cudaMemcpyAsync(to, in_.data(), in_.bytes(), cudaMemcpyDeviceToHost, stream_));
    PARITY_CUDA(cudaStreamSynchronize(stream_));
    if (pad_ == 0) gather_with_halo(p_, host.data(), padded);
  }
  study::DeviceClock* device_clock() override { return clock_.get(); }

 protected:
  void update_halo() {
    const int nx = int(p_.nx), ny = int(p_.ny), h = int(p_.halo);
    const unsigned nz = unsigned(p_.nz);
    halo_rows<<<dim3(blocks_for(nx, 64), blocks_for(2 * h, 4), nz), dim3(64, 4), 0, stream_>>>(in_.data(), nx,
                                                                                               ny, h);
    PARITY_CUDA(cudaGetLastError());
    halo_columns<<<dim3(blocks_for(2 * h, 4), blocks_for(p_.rows(), 64), nz), dim3(4, 64), 0, stream_>>>(
        in_.data(), nx, ny, h);
    PARITY_CUDA(cudaGetLastError());
  }

  Problem p_;
  std::int64_t pad_;
  Buffer<T> in_, out_;
  cudaStream_t stream_{};

 private:
  std::unique_ptr<study::DeviceClock> clock_;
};

/// Refuses what a (x, y, plane) grid cannot hold.
inline std::optional<std::string> refuse_grid(const Problem& p, const Tuning& t) {
  if (std::int64_t(t[0]) * t[1] > 1024) return "the block " + to_string(t) + " has more than 1024 threads";
  if (p.nz > 65535) return "more than 65535 planes do not fit the z axis of a CUDA grid";
  if ((p.rows() + t[0] - 1) / t[0] > 65535 || (p.rows() + 63) / 64 > 65535)
    return "more than 65535 blocks of rows do not fit the y axis of a CUDA grid";
  return std::nullopt;
}

}  // namespace parity::cuda
