// SPDX-License-Identifier: BSD-3-Clause
// A field by (plane, row, column), for kernels that have no View: of CUDA, and of tuned Kokkos.
#pragma once
#include <cstdint>
#include <type_traits>

#include "diffusion/stencil.hpp"

namespace parity::diffusion {

/// A field (nz, rows, pitch), x fastest, without a margin of 'margin' points around each plane: (k, 0, 0) is
/// the first point inside. A plane is found with 64 bits, a point in it with 32.
template <class T>
struct FieldRows {
  T* data;
  int pitch, rows, margin;
  PARITY_INLINE std::int64_t size(std::int64_t nz) const { return nz * rows * pitch; }
  /// Where a plane and a row begin.
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
  /// The first row of a plane, and neighbours that wrap around in planes of ny rows and nx columns. No
  /// margin.
  PARITY_INLINE T* plane(int k) const { return data + offset(k); }
  PARITY_INLINE WrappedNeighbours<std::remove_const_t<T>> wrapped(int k, int j, int i, int ny, int nx) const {
    return {WrappedRows<std::remove_const_t<T>>(plane(k), j, ny, pitch), i, nx};
  }
};

/// The Laplacian at the point whose neighbours 'at' gives.
template <class T>
PARITY_INLINE T laplacian_at(const FlatNeighbours<T>& at) {
  return laplacian_at(at(0, 0), at(0, -1), at(0, 1), at(-1, 0), at(1, 0));
}

}  // namespace parity::diffusion
