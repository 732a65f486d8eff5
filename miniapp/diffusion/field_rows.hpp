// SPDX-License-Identifier: BSD-3-Clause
// A field indexed by (plane, row, column), for kernels without a View: CUDA and tuned Kokkos.
#pragma once
#include <cstdint>
#include <type_traits>

#include "diffusion/stencil.hpp"

namespace parity::diffusion {

/// A field (nz, rows, pitch), x fastest, with 'margin' points around each plane: (k, 0, 0) is the first point
/// inside the margin. Offsets of planes have 64 bits, offsets within a plane 32.
template <class T>
struct FieldRows {
  T* data;
  int pitch, rows, margin;
  PARITY_INLINE std::int64_t size(std::int64_t nz) const { return nz * rows * pitch; }
  /// Offset of a plane, and of a row's first point inside the margin.
  PARITY_INLINE std::size_t offset(int k) const {
    return std::size_t(unsigned(k)) * (unsigned(rows) * unsigned(pitch));
  }
  PARITY_INLINE std::size_t offset(int k, int j) const {
    return offset(k) + (unsigned(margin + j) * unsigned(pitch) + unsigned(margin));
  }
  PARITY_INLINE T* row(int k, int j) const { return data + offset(k, j); }
  PARITY_INLINE T& operator()(int k, int j, int i) const { return row(k, j)[i]; }
  /// Neighbours at a fixed distance in memory.
  PARITY_INLINE FlatNeighbours<std::remove_const_t<T>> around(int k, int j, int i) const {
    return {row(k, j) + i, pitch};
  }
  /// A plane's first row, and neighbours that wrap around in planes of ny x nx points. Both need margin 0.
  PARITY_INLINE T* plane(int k) const { return data + offset(k); }
  PARITY_INLINE WrappedNeighbours<std::remove_const_t<T>> wrapped(int k, int j, int i, int ny, int nx) const {
    return {WrappedRows<std::remove_const_t<T>>(plane(k), j, ny, pitch), i, nx};
  }
};

/// The Laplacian at a point; 'at' returns its neighbours.
template <class T>
PARITY_INLINE T laplacian_at(const FlatNeighbours<T>& at) {
  return laplacian_at(at(0, 0), at(0, -1), at(0, 1), at(-1, 0), at(1, 0));
}

}  // namespace parity::diffusion
