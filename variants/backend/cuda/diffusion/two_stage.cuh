// SPDX-License-Identifier: BSD-3-Clause
// The operations of the steps with a Laplacian field, which the original work's custom kernels replace one
// after the other. Twins of those in diffusion/kokkos/two_stage.hpp.
#pragma once
#include "stepped.cuh"

namespace parity::cuda {

/// Laplacian everywhere but in a margin of m points around each plane; grid (x, y, nz).
template <class T>
__global__ void laplacian_2d(const T* __restrict__ from, T* __restrict__ to, int pitch, int rows, int m) {
  const int i = m + blockIdx.x * blockDim.x + threadIdx.x, j = m + blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= pitch - m || j >= rows - m) return;
  const std::size_t c = (std::size_t(blockIdx.z) * rows + j) * pitch + i;
  to[c] = laplacian(from[c], from[c - 1], from[c + 1], from[c - pitch], from[c + pitch]);
}

/// Of PointTiles, or blocks "rows x columns".
template <class T>
struct Laplacian2d {
  Tuning tuning;
  Laplacian2d(const Problem&, const Tuning& t) : tuning(t) {}
  void operator()(const Fields<T>& f, const T* from, T* to, int m) const {
    const Problem& p = f.p;
    if (is_tile(tuning)) {
      const LaplacianPoints<T> points{from, to, {int(p.pitch()), int(p.rows()), m}};
      for_tiles(f.stream, tuning, inside(p, m), points);
      return;
    }
    const dim3 block = block_of(tuning), grid = plane_grid(p.pitch() - 2 * m, p.rows() - 2 * m, p.nz, block);
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
    const CopyPoints<T> points{field, int(p.pitch()), all_rows, to_row, from_row, to_column, from_column};
    for_points<FlatMap<1>>(f.stream, {p.nz, rows, columns}, points);
  };
  copy(0, ny, h, h, h, nx);
  copy(ny + h, h, h, h, h, nx);
  copy(0, 0, all_rows, 0, nx, h);
  copy(0, 0, all_rows, nx + h, h, h);
}

/// to = weight * from over the flat field without a row at each end, so many elements a thread.
template <int elements = 4, class T>
void scale_flat(const Fields<T>& f, const T* from, T* to, T weight) {
  const ScaleLine<T> line{from + f.pitch, to + f.pitch, weight};
  for_line<elements>(f.stream, f.p.padded_points() - 2 * f.pitch, line);
}
/// to += from over the same range.
template <int elements = 4, class T>
void add_flat(const Fields<T>& f, const T* from, T* to) {
  const AddLine<T> line{from + f.pitch, to + f.pitch};
  for_line<elements>(f.stream, f.p.padded_points() - 2 * f.pitch, line);
}
/// out = in - alpha out as two elementary operations.
template <class T>
void update_by_operations(const Fields<T>& f, const T* in, T* out) {
  scale_flat<4, T>(f, out, out, T(-f.p.alpha));
  add_flat<4, T>(f, in, out);
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
