// SPDX-License-Identifier: BSD-3-Clause
// directions, CUDA, first version: one thread computes one point. The branches are two streams; stream
// capture makes them branches of the graph.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/stepped.cuh"
#include "backend/cuda/owned.cuh"

namespace parity::diffusion::directions {
namespace {

using namespace parity::cuda;

/// Computes the second difference along (dj, di).
template <class T>
__global__ void difference(Field<const T> from, Field<T> to, int ny, int nx, int dj, int di) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx)
    to(k, j, i) = second_difference(from(k, j, i), from(k, j - dj, i - di), from(k, j + dj, i + di));
}

template <class T>
__global__ void add_direction(Field<const T> from, Field<T> to, int ny, int nx) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx) to(k, j, i) += from(k, j, i);
}

/// On entry, out holds the second difference along x, y the one along y; out becomes the updated field.
template <class T>
__global__ void update_directions(Field<const T> in, Field<const T> y, Field<T> out, int ny, int nx,
                                  T alpha) {
  const int k = blockIdx.z, j = blockIdx.y * blockDim.y + threadIdx.y,
            i = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny && i < nx) out(k, j, i) = update(in(k, j, i), alpha, out(k, j, i) + y(k, j, i));
}

struct Step {};

template <class T>
struct Directions {
  static constexpr bool finishes = true;
  Fields<T> f;
  Buffer<T> y;  ///< second difference along y
  explicit Directions(const Problem& p) : f(Fields<T>::with_laplacian(p)), y(p.padded_points()) {
    y.poison_on(f.stream);
    PARITY_CUDA(cudaStreamCreateWithFlags(branch_.put(), cudaStreamNonBlocking));
    PARITY_CUDA(cudaEventCreateWithFlags(forked_.put(), cudaEventDisableTiming));
    PARITY_CUDA(cudaEventCreateWithFlags(joined_.put(), cudaEventDisableTiming));
  }
  void step(const Step&, const Tuning& tuning, T* in, T* out) const {
    const int h = int(f.p.halo), ny = int(f.p.ny), nx = int(f.p.nx);
    const dim3 block = block_of(tuning), wide = plane_grid(nx + 2, ny + 2, f.p.nz, block),
               grid = plane_grid(nx, ny, f.p.nz, block);
    T* const lap = f.laplacian();
    f.update_halo(in);
    side_by_side(
        [&](cudaStream_t stream) {
          difference<<<wide, block, 0, stream>>>(at<const T>(in, h - 1), at<T>(lap, h - 1), ny + 2, nx + 2, 0,
                                                 1);
        },
        [&](cudaStream_t stream) {
          difference<<<wide, block, 0, stream>>>(at<const T>(in, h - 1), at<T>(y.data(), h - 1), ny + 2,
                                                 nx + 2, 1, 0);
        });
    add_direction<<<wide, block, 0, f.stream>>>(at<const T>(y.data(), h - 1), at<T>(lap, h - 1), ny + 2,
                                                nx + 2);
    side_by_side(
        [&](cudaStream_t stream) {
          difference<<<grid, block, 0, stream>>>(at<const T>(lap, h), at<T>(out, h), ny, nx, 0, 1);
        },
        [&](cudaStream_t stream) {
          difference<<<grid, block, 0, stream>>>(at<const T>(lap, h), at<T>(y.data(), h), ny, nx, 1, 0);
        });
    update_directions<<<grid, block, 0, f.stream>>>(at<const T>(in, h), at<const T>(y.data(), h),
                                                    at<T>(out, h), ny, nx, T(f.p.alpha));
  }
  void finish(const Step&, T* result) const { f.update_halo(result); }

 private:
  /// View of the data without a margin of 'margin' points around each plane.
  template <class Value>
  Field<Value> at(T* data, int margin) const {
    return {data, int(f.p.pitch()), int(f.p.rows()), margin};
  }
  /// Launches one(stream) and other(stream), which do not depend on each other.
  template <class One, class Other>
  void side_by_side(const One& one, const Other& other) const {
    if (f.forks) {
      PARITY_CUDA(cudaEventRecord(forked_, f.stream));
      PARITY_CUDA(cudaStreamWaitEvent(branch_, forked_, 0));
    }
    one(f.stream);
    other(f.forks ? cudaStream_t(branch_) : f.stream);
    if (f.forks) {
      PARITY_CUDA(cudaEventRecord(joined_, branch_));
      PARITY_CUDA(cudaStreamWaitEvent(f.stream, joined_, 0));
    }
  }

  OwnedStream branch_;
  OwnedEvent forked_, joined_;
};

}  // namespace

Entry cuda() {
  return with_steps<Directions, Step>(with_blocks(algorithm(), {"2x128", "4x64", "8x32", "1x256"}));
}

}  // namespace parity::diffusion::directions
