// SPDX-License-Identifier: BSD-3-Clause
// How native OpenMP moves and updates points of a part of the field.
#pragma once
#include "diffusion/exchanged.hpp"
#include "diffusion/padded_copy.hpp"
#include "runtime/host_array.hpp"

namespace parity::openmp {

using namespace parity::diffusion;

template <class T>
class PartInRows {
 public:
  static constexpr bool on_device = false;
  using Memory = runtime::HostArray<T>;

  PartInRows(const Problem& part, const Tuning&)
      : p_(part), field_{Memory(p_.padded_points()), Memory(p_.padded_points())} {}

  T* operator[](int which) { return field_[which].data(); }
  Memory memory(std::int64_t values) const { return Memory(values); }
  void load(const T* field) {
    scatter_interior(p_, p_.halo, p_.pitch(), field, field_[0].data());
    field_[1].fill(poison<T>);
  }
  void store(int which, T* padded, std::int64_t h) const {
    gather_around(p_, p_.halo, p_.pitch(), field_[which].data(), h, padded);
  }
  void synchronise() const {}
  void* stream() const { return nullptr; }
  runtime::DeviceClock* clock() const { return nullptr; }

  /// Row by row.
  void move(const char*, const Moves<T>& moves) const {
    const int rows = moves.rows();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (int r = 0; r < rows; ++r) moves.copy_row(r, k);
  }
  void update(const T* in, T* out, const Region& r) const {
    const T alpha = T(p_.alpha);
    const std::int64_t pitch = p_.pitch();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (std::int64_t j = r.row; j < r.row + r.rows; ++j) {
        const std::int64_t first = (k * p_.rows() + p_.halo + j) * pitch + p_.halo + r.column;
        const T* const from = in + first;
        T* const to = out + first;
#pragma omp simd
        for (std::int64_t i = 0; i < r.columns; ++i)
          to[i] = update_at(alpha, FlatNeighbours<T>{from + i, pitch});
      }
  }
  void update(const RegionUpdate<T>& regions) const {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (int cell = 0; cell < regions.cells(); ++cell) regions(cell, int(k));
  }

 private:
  const Problem p_;
  Memory field_[2];
};

/// The entry of one of them.
inline Entry exchange_entry() {
  Entry e;
  return e;
}

}  // namespace parity::openmp
