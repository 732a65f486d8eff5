// SPDX-License-Identifier: BSD-3-Clause
// What the native CUDA diffusion variants share: a stream, two fields, loading, storing and the halo kernel.
#pragma once
#include <memory>
#include <vector>

#include "cuda/buffer.cuh"
#include "cuda/check.cuh"
#include "cuda/device.hpp"
#include "cuda/stream.hpp"
#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/variant.hpp"

namespace parity::cuda {

using namespace parity::diffusion;

/// A block of rows x columns threads as CUDA writes it.
inline dim3 block_of(const Tuning& t) { return dim3(unsigned(t[1]), unsigned(t[0])); }

/// The grid (x, y, nz) over planes of width x height points for blocks that share 'overlap' points with the
/// next one in each direction.
inline dim3 plane_grid(std::int64_t width, std::int64_t height, std::int64_t nz, dim3 block,
                       unsigned overlap = 0) {
  return dim3(blocks_for(width, block.x - overlap), blocks_for(height, block.y - overlap), unsigned(nz));
}

/// One thread a halo cell; grid (cells, nz).
template <class T>
__global__ void halo_update(T* f, int nx, int ny, int h) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= halo_cells(nx, ny, h)) return;
  const int pitch = nx + 2 * h;
  T* const plane = f + std::size_t(blockIdx.y) * pitch * (ny + 2 * h);
  const auto c = halo_cell(n, nx, ny, h);
  plane[std::size_t(c.row) * pitch + c.column] = plane[std::size_t(c.from_row) * pitch + c.from_column];
}

/// Base of the variants that keep a field and its successor; pad is the halo width, or 0 for wrap indexing.
template <class T>
class CudaFieldPair : public Variant<T> {
 public:
  CudaFieldPair(const Problem& p, std::int64_t pad, std::int64_t pitch = 0)
      : p_(p),
        pad_(pad),
        pitch_(pitch > 0 ? pitch : p.nx + 2 * pad),
        field_{Buffer<T>(pitch_ * (p.ny + 2 * pad) * p.nz), Buffer<T>(pitch_ * (p.ny + 2 * pad) * p.nz)},
        stream_(static_cast<cudaStream_t>(owned_stream_.get())),
        clock_(make_clock(stream_)) {}

  void load(const T* field) override {
    std::vector<T> host(std::size_t(field_[0].size()));
    scatter_interior(p_, pad_, pitch_, field, host.data());
    PARITY_CUDA(
        cudaMemcpyAsync(field_[0].data(), host.data(), field_[0].bytes(), cudaMemcpyHostToDevice, stream_));
    field_[1].poison_on(stream_);
    PARITY_CUDA(cudaStreamSynchronize(stream_));
    result_ = 0;
  }
  void synchronise() override { PARITY_CUDA(cudaStreamSynchronize(stream_)); }
  void store(T* padded) override {
    const Buffer<T>& from = field_[result_];
    std::vector<T> host(pad_ == 0 ? std::size_t(from.size()) : 0);
    T* const to = pad_ == 0 ? host.data() : padded;
    PARITY_CUDA(cudaMemcpyAsync(to, from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream_));
    PARITY_CUDA(cudaStreamSynchronize(stream_));
    if (pad_ == 0) gather_with_halo(p_, pitch_, host.data(), padded);
  }
  study::DeviceClock* device_clock() override { return clock_.get(); }

 protected:
  void update_halo(T* f) const {
    const int nx = int(p_.nx), ny = int(p_.ny), h = int(p_.halo);
    halo_update<<<dim3(blocks_for(halo_cells(nx, ny, h), 256), unsigned(p_.nz)), 256, 0, stream_>>>(f, nx, ny,
                                                                                                    h);
    PARITY_CUDA(cudaGetLastError());
  }

  Problem p_;
  std::int64_t pad_, pitch_;
  Buffer<T> field_[2];
  int result_ = 0;  ///< the field that holds the result

 private:
  Stream owned_stream_;

 protected:
  cudaStream_t stream_;

 private:
  std::unique_ptr<study::DeviceClock> clock_;
};

/// Refuses what a (x, y, plane) grid cannot hold.
inline std::optional<std::string> refuse_planes(const Problem& p, const Tuning&) {
  if (p.nz > 65535) return "more than 65535 planes do not fit the z axis of a CUDA grid";
  return std::nullopt;
}
/// Refuses blocks of rows x columns that no device has, too.
inline std::optional<std::string> refuse_grid(const Problem& p, const Tuning& t) {
  if (std::int64_t(t[0]) * t[1] > 1024) return "the block " + to_string(t) + " has more than 1024 threads";
  if ((p.rows() + t[0] - 1) / t[0] > 65535)
    return "more than 65535 blocks of rows do not fit the y axis of a CUDA grid";
  return refuse_planes(p, t);
}
/// Refuses what a flat index of 32 bits cannot count.
inline std::optional<std::string> refuse_many_points(const Problem& p, const Tuning& t) {
  if (t[0] > 1024) return "the block " + to_string(t) + " has more than 1024 threads";
  if (p.padded_points() > (std::int64_t(1) << 31) - 1 - 1024)
    return "more than 2^31 - 1 points: its flat index has 32 bits";
  return refuse_planes(p, t);
}

}  // namespace parity::cuda
