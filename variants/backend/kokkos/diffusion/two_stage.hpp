// SPDX-License-Identifier: BSD-3-Clause
// The operations of the steps with a Laplacian field, which the original work's custom kernels replace one
// after the other.
#pragma once
#include "stepped.hpp"

namespace parity::diffusion {

/// rows x columns cells to (to_row, to_column) from (from_row, from_column), on every plane. A column copy
/// keeps its row and a row copy its column.
template <class T, class Queue>
void copy_block(Queue& queue, const Field<T>& f, int to_row, int from_row, int rows, int to_column,
                int from_column, int columns) {
  queue.parallel_for(
      "parity::diffusion::copy_halo",
      range2(queue.exec(), std::int64_t(f.extent(0)), std::int64_t(rows) * columns),
      KOKKOS_LAMBDA(int n, int k) {
        const int j = n / columns, i = n - j * columns;
        f(k, to_row + j, to_column + i) = f(k, from_row + j, from_column + i);
      });
}

/// The halo as four array copies, the way array libraries spell it: bottom and top rows without corners, then
/// left and right columns over the full height.
template <class T, class Queue>
void copy_halo(Queue& queue, const Problem& p, const Field<T>& f) {
  const int h = int(p.halo), nx = int(p.nx), ny = int(p.ny), rows = int(p.rows());
  copy_block(queue, f, 0, ny, h, h, h, nx);
  copy_block(queue, f, ny + h, h, h, h, h, nx);
  copy_block(queue, f, 0, 0, rows, 0, nx, h);
  copy_block(queue, f, 0, 0, rows, nx + h, h, h);
}

/// The flat field without a row at each end.
inline Range1<std::int64_t> inner_range(const Exec& exec, const Problem& p) {
  return Range1<std::int64_t>(exec, p.pitch(), p.padded_points() - p.pitch());
}
/// to = weight * from over it.
template <class T, class Queue>
void scale(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, T weight) {
  const T* const a = from.data();
  T* const b = to.data();
  queue.parallel_for(
      "parity::diffusion::scale", inner_range(queue.exec(), p),
      KOKKOS_LAMBDA(std::int64_t n) { b[n] = weight * a[n]; });
}
/// to += from, shifted by some elements, over it.
template <class T, class Queue>
void add(Queue& queue, const Problem& p, const Field<T>& from, std::int64_t shift, const Field<T>& to) {
  const T* const a = from.data() + shift;
  T* const b = to.data();
  queue.parallel_for(
      "parity::diffusion::add", inner_range(queue.exec(), p),
      KOKKOS_LAMBDA(std::int64_t n) { b[n] += a[n]; });
}
/// out = in - alpha out as two elementary operations.
template <class T, class Queue>
void update_by_operations(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
  scale(queue, p, out, out, T(-p.alpha));
  add(queue, p, in, 0, out);
}

/// A Laplacian: everywhere but in a margin of m points around each plane, tiles over (y, x).
template <class T>
struct Laplacian2d {
  Tuning tile;
  Laplacian2d(const Problem&, const Tuning& t) : tile(t) {}
  template <class Queue>
  void operator()(Queue& queue, const Problem& p, const Field<T>& from, const Field<T>& to, int m) const {
    const Kokkos::View<const T***, Kokkos::LayoutRight, Exec> f = from;
    queue.parallel_for(
        "parity::diffusion::laplacian_2d",
        range3(queue.exec(), p.nz, p.rows() - 2 * m, p.pitch() - 2 * m, tile),
        KOKKOS_LAMBDA(int ii, int jj, int k) {
          const int j = jj + m, i = ii + m;
          to(k, j, i) = laplacian(f(k, j, i), f(k, j, i - 1), f(k, j, i + 1), f(k, j - 1, i), f(k, j + 1, i));
        });
  }
};

/// The operations above, as a step takes them.
struct FirstOperations {
  template <class T, class Queue>
  static void update_halo(Queue& queue, const Problem& p, const Field<T>& f) {
    diffusion::update_halo(queue, p, f);
  }
  template <class T, class Queue>
  static void copy_halo(Queue& queue, const Problem& p, const Field<T>& f) {
    diffusion::copy_halo(queue, p, f);
  }
  template <class T, class Queue>
  static void update_by_operations(Queue& queue, const Problem& p, const Field<T>& in, const Field<T>& out) {
    diffusion::update_by_operations(queue, p, in, out);
  }
};

/// A step whose halo and update are elementary operations, with a Laplacian such as the one above.
template <template <class> class Laplacian, class Operations = FirstOperations>
struct Elementary {
  template <class T>
  struct Step {
    Fields<T> f;
    Laplacian<T> form_laplacian;
    Step(const Problem& p, const Tuning& t) : f(Fields<T>::with_laplacian(p)), form_laplacian(p, t) {}
    template <class Queue>
    void operator()(Queue& queue, const Field<T>& in, const Field<T>& out) const {
      const int h = int(f.p.halo);
      Operations::copy_halo(queue, f.p, in);
      form_laplacian(queue, f.p, in, f.laplacian, h - 1);
      form_laplacian(queue, f.p, f.laplacian, out, h);
      Operations::update_by_operations(queue, f.p, in, out);
    }
    template <class Queue>
    void finish(Queue& queue, const Field<T>& result) const {
      Operations::copy_halo(queue, f.p, result);
    }
  };
};

/// Fills in the factories of such a step's entry.
template <template <class> class Laplacian, class Operations = FirstOperations>
Entry with_elementary_steps(Entry e) {
  e.fields = 3;
  return with_steps<Elementary<Laplacian, Operations>::template Step>(std::move(e));
}

/// Tilings of the two-dimensional Laplacian kernels.
inline std::vector<std::string> laplacian_tiles_on_device() {
  return {"1x2x128", "1x4x64", "1x8x32", "1x1x256"};
}
inline std::vector<std::string> laplacian_tiles_on_host() {
  return {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"};
}

}  // namespace parity::diffusion
