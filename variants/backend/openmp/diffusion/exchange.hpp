// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of the field in native OpenMP: moves of its halo, and updates of its frame.
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

  PartInRows(const Problem& part, const Tuning&) : PartInRows(part, Margin(part.halo)) {}
  /// With 'depth' points around each plane.
  PartInRows(const Problem& part, const Margin& depth)
      : p_(part),
        depth_(depth),
        shape_(part, depth),
        field_{Memory(shape_.plane * part.nz), Memory(shape_.plane * part.nz)} {}

  T* operator[](int which) { return field_[which].data(); }
  Memory memory(std::int64_t values) const { return Memory(values); }
  void load(const T* field) {
    scatter_interior(p_, depth_, shape_.pitch, field, field_[0].data());
    field_[1].fill(poison<T>);
  }
  void store(int which, T* padded, std::int64_t h) const {
    gather_padded(p_, depth_, shape_.pitch, field_[which].data(), h, padded);
  }
  void synchronise() const {}
  void* stream() const { return nullptr; }
  runtime::DeviceClock* clock() const { return nullptr; }

  /// Copies row by row.
  void move(const char*, const Moves<T>& moves) const {
    const int rows = moves.rows();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (int r = 0; r < rows; ++r) moves.copy_row(r, k);
  }
  void update(const RegionUpdate<T>& regions) const {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (int cell = 0; cell < regions.cells(); ++cell) regions(cell, int(k));
  }

 protected:
  const Problem p_;
  const Margin depth_;
  const FieldShape shape_;
  Memory field_[2];
};

/// The same with the 13-point update of a region, which variants/diffusion/fused_exchange/openmp.cpp defines.
template <class T>
struct UpdatedPart : PartInRows<T> {
  using PartInRows<T>::PartInRows;
  using PartInRows<T>::update;
  void update(const T* in, T* out, const Region& r) const;
};

/// The pass of openmp-temporal, with strips of its default width.
template <class T>
PassOf<T> temporal_pass(const Problem& p, int most_steps);

}  // namespace parity::openmp
