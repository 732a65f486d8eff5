// SPDX-License-Identifier: BSD-3-Clause
// The study's kernels as sets of points (see tile_map.hpp). Plain host and device code.
#pragma once
#include <cstdint>

#include "diffusion/stencil.hpp"
#include "runtime/fast_divide.hpp"

namespace parity::diffusion {

/// Where the rows of a field (nz, rows, pitch) begin, without a margin of 'margin' points around each plane.
/// A plane is found with 64 bits, a point in it with 32.
struct PaddedPlanes {
  int pitch, rows, margin;
  PARITY_INLINE std::size_t line(int k, int j) const {
    return std::size_t(unsigned(k)) * (unsigned(rows) * unsigned(pitch)) +
           (unsigned(margin + j) * unsigned(pitch) + unsigned(margin));
  }
};

/// The 13-point update of a field with a halo.
template <class T>
struct FusedPoints {
  using Value = T;
  static constexpr int seam = 0;
  const T* in;
  T* out;
  PaddedPlanes at;
  T alpha;

  struct Line {
    const T* in;
    T* out;
    std::ptrdiff_t pitch;
    T alpha;
    template <class I>
    PARITY_INLINE T value(I i) const {
      return update_at(alpha, FlatNeighbours<T>{in + i, pitch});
    }
    template <class I>
    PARITY_INLINE void store(I i, T v) const {
      out[i] = v;
    }
  };
  PARITY_INLINE Line line(int k, int j) const {
    const std::size_t first = at.line(k, j);
    return {in + first, out + first, at.pitch, alpha};
  }
};

/// The 13-point update of planes (ny, pitch) without a halo, nx points of each row in use.
template <class T>
struct WrapPoints {
  using Value = T;
  static constexpr int seam = 2;
  const T* in;
  T* out;
  int nx, ny, pitch;
  T alpha;

  struct Line {
    WrappedRows<T> rows;
    T* out;
    int nx;
    T alpha;
    template <class I>
    PARITY_INLINE T value(I i) const {
      return update_at(alpha, WrappedNeighbours<T>(rows, int(i), nx));
    }
    template <class I>
    PARITY_INLINE T inner(I i) const {
      return update_at(alpha, RowNeighbours<T>{rows, i});
    }
    template <class I>
    PARITY_INLINE void store(I i, T v) const {
      out[i] = v;
    }
  };
  PARITY_INLINE Line line(int k, int j) const {
    const std::size_t plane = std::size_t(unsigned(k)) * (unsigned(ny) * unsigned(pitch));
    return {WrappedRows<T>(in + plane, j, ny, pitch), out + plane + unsigned(j) * unsigned(pitch), nx, alpha};
  }
};

/// to = Laplacian of from.
template <class T>
struct LaplacianPoints {
  using Value = T;
  static constexpr int seam = 0;
  const T* from;
  T* to;
  PaddedPlanes at;

  struct Line {
    const T* from;
    T* to;
    std::ptrdiff_t pitch;
    template <class I>
    PARITY_INLINE T value(I i) const {
      const T* const c = from + i;
      return laplacian(c[0], c[-1], c[1], c[-pitch], c[pitch]);
    }
    template <class I>
    PARITY_INLINE void store(I i, T v) const {
      to[i] = v;
    }
  };
  PARITY_INLINE Line line(int k, int j) const {
    const std::size_t first = at.line(k, j);
    return {from + first, to + first, at.pitch};
  }
};

/// out, which holds the Laplacian of the Laplacian, becomes the updated field.
template <class T>
struct UpdatePoints {
  using Value = T;
  static constexpr int seam = 0;
  const T* in;
  T* out;
  PaddedPlanes at;
  T alpha;

  struct Line {
    const T* in;
    T* out;
    T alpha;
    template <class I>
    PARITY_INLINE T value(I i) const {
      return update(in[i], alpha, out[i]);
    }
    template <class I>
    PARITY_INLINE void store(I i, T v) const {
      out[i] = v;
    }
  };
  PARITY_INLINE Line line(int k, int j) const {
    const std::size_t first = at.line(k, j);
    return {in + first, out + first, alpha};
  }
};

/// rows x columns cells of each plane (plane_rows, pitch) copied to (to_row, to_column) from (from_row,
/// from_column); the two do not overlap.
template <class T>
struct CopyPoints {
  using Value = T;
  static constexpr int seam = 0;
  T* field;
  int pitch, plane_rows, to_row, from_row, to_column, from_column;

  struct Line {
    const T* from;
    T* to;
    template <class I>
    PARITY_INLINE T value(I i) const {
      return from[i];
    }
    template <class I>
    PARITY_INLINE void store(I i, T v) const {
      to[i] = v;
    }
  };
  PARITY_INLINE Line line(int k, int j) const {
    const PaddedPlanes at{pitch, plane_rows, 0};
    return {field + at.line(k, from_row + j) + from_column, field + at.line(k, to_row + j) + to_column};
  }
};

/// The halo of a field, corners included: of each plane one line of all its halo cells.
template <class T>
struct HaloPoints {
  using Value = T;
  T* field;
  int nx, ny, h;
  runtime::FastDivide by_pitch, by_sides;
  HaloPoints(T* f, int width, int height, int halo)
      : field(f), nx(width), ny(height), h(halo), by_pitch(width + 2 * halo), by_sides(2 * halo) {}

  struct Line {
    const HaloPoints& points;
    T* plane;
    PARITY_INLINE HaloCell<int> cell(int n) const {
      return halo_cell(n, points.nx, points.ny, points.h, points.by_pitch, points.by_sides);
    }
    PARITY_INLINE T value(int n) const {
      const auto c = cell(n);
      return plane[unsigned(c.from_row) * unsigned(points.nx + 2 * points.h) + unsigned(c.from_column)];
    }
    PARITY_INLINE void store(int n, T v) const {
      const auto c = cell(n);
      plane[unsigned(c.row) * unsigned(points.nx + 2 * points.h) + unsigned(c.column)] = v;
    }
  };
  PARITY_INLINE Line line(int k, int) const {
    return {*this, field + PaddedPlanes{nx + 2 * h, ny + 2 * h, 0}.line(k, 0)};
  }
};

/// to = weight * from, element by element.
template <class T>
struct ScaleLine {
  using Value = T;
  const T* from;
  T* to;
  T weight;
  PARITY_INLINE T value(std::int64_t n) const { return weight * from[n]; }
  PARITY_INLINE void store(std::int64_t n, T v) const { to[n] = v; }
};

/// to = from; an element may be a pack.
template <class Element>
struct CopyLine {
  using Value = Element;
  const Element* from;
  Element* to;
  PARITY_INLINE Element value(std::int64_t n) const { return from[n]; }
  PARITY_INLINE void store(std::int64_t n, const Element& v) const { to[n] = v; }
};

/// to += from, element by element.
template <class T>
struct AddLine {
  using Value = T;
  const T* from;
  T* to;
  PARITY_INLINE T value(std::int64_t n) const { return to[n] + from[n]; }
  PARITY_INLINE void store(std::int64_t n, T v) const { to[n] = v; }
};

}  // namespace parity::diffusion
