// SPDX-License-Identifier: BSD-3-Clause
// What the Kokkos variants with a Laplacian field of its own share: that field, and the operations that the
// first study's custom kernels replace one after the other.
#pragma once
#include "diffusion/kokkos_steps.hpp"

namespace parity::diffusion {

template <class T, class Derived>
class KokkosTwoStage : public KokkosSteps<T, Derived> {
 public:
  explicit KokkosTwoStage(const Problem& p)
      : KokkosSteps<T, Derived>(p, p.halo), tmp_("laplacian", p.nz, p.rows(), p.pitch()) {}

  void load(const T* field) override {
    KokkosSteps<T, Derived>::load(field);
    Kokkos::deep_copy(tmp_, poison<T>);
  }

  /// The halo as four array copies, the way array libraries spell it: bottom and top rows without corners,
  /// then left and right columns over the full height.
  template <class Queue>
  void copy_halo(Queue& queue, const Field<T>& f) const {
    const int h = int(this->p_.halo), nx = int(this->p_.nx), ny = int(this->p_.ny),
              rows = int(this->p_.rows());
    copy_block(queue, f, 0, ny, h, h, h, nx);
    copy_block(queue, f, ny + h, h, h, h, h, nx);
    copy_block(queue, f, 0, 0, rows, 0, nx, h);
    copy_block(queue, f, 0, 0, rows, nx + h, h, h);
  }

  /// rows x columns cells to (to_row, to_column) from (from_row, from_column), on every plane. A column copy
  /// keeps its row and a row copy its column.
  template <class Queue>
  void copy_block(Queue& queue, const Field<T>& f, int to_row, int from_row, int rows, int to_column,
                  int from_column, int columns) const {
    queue.parallel_for(
        "parity::diffusion::copy_halo", range2(queue.exec(), this->p_.nz, std::int64_t(rows) * columns),
        KOKKOS_LAMBDA(int n, int k) {
          const int j = n / columns, i = n - j * columns;
          f(k, to_row + j, to_column + i) = f(k, from_row + j, from_column + i);
        });
  }

  /// to = weight * from over the flat field without a row at each end.
  template <class Queue>
  void scale(Queue& queue, const Field<T>& from, const Field<T>& to, T weight) const {
    const T* const a = from.data();
    T* const b = to.data();
    queue.parallel_for(
        "parity::diffusion::scale", flat(queue), KOKKOS_LAMBDA(std::int64_t n) { b[n] = weight * a[n]; });
  }
  /// to += from, shifted by some elements, over the same range.
  template <class Queue>
  void add(Queue& queue, const Field<T>& from, std::int64_t shift, const Field<T>& to) const {
    const T* const a = from.data() + shift;
    T* const b = to.data();
    queue.parallel_for(
        "parity::diffusion::add", flat(queue), KOKKOS_LAMBDA(std::int64_t n) { b[n] += a[n]; });
  }
  /// out = in - alpha out as two elementary operations.
  template <class Queue>
  void update_by_operations(Queue& queue, const Field<T>& in, const Field<T>& out) const {
    scale(queue, out, out, T(-this->p_.alpha));
    add(queue, in, 0, out);
  }

  /// Laplacian everywhere but in a margin of 'm' points around each plane, tiles over (y, x).
  template <class Queue>
  void laplacian_2d(Queue& queue, const Field<T>& from, const Field<T>& to, int m, const Tuning& tile) const {
    const Kokkos::View<const T***, Kokkos::LayoutRight, Exec> f = from;
    queue.parallel_for(
        "parity::diffusion::laplacian_2d",
        range3(queue.exec(), this->p_.nz, this->p_.rows() - 2 * m, this->p_.pitch() - 2 * m, tile),
        KOKKOS_LAMBDA(int ii, int jj, int k) {
          const int j = jj + m, i = ii + m;
          to(k, j, i) = laplacian(f(k, j, i), f(k, j, i - 1), f(k, j, i + 1), f(k, j - 1, i), f(k, j + 1, i));
        });
  }

 protected:
  Field<T> tmp_;

 private:
  template <class Queue>
  Range1<std::int64_t> flat(const Queue& queue) const {
    return Range1<std::int64_t>(queue.exec(), this->p_.pitch(), this->p_.padded_points() - this->p_.pitch());
  }
};

/// Tilings of the two-dimensional Laplacian kernels.
inline std::vector<std::string> laplacian_tiles_on_device() {
  return {"1x2x128", "1x4x64", "1x8x32", "1x1x256"};
}
inline std::vector<std::string> laplacian_tiles_on_host() {
  return {"1x16x1024", "1x4x1024", "1x1x1024", "1x8x64"};
}

}  // namespace parity::diffusion
