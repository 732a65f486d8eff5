// SPDX-License-Identifier: BSD-3-Clause
// Common parts of native OpenMP diffusion variants: two padded fields, loading, storing and the halo.
#pragma once
#include "diffusion/padded_copy.hpp"
#include "diffusion/stencil.hpp"
#include "diffusion/variant.hpp"
#include "runtime/host_array.hpp"

namespace parity::openmp {

using namespace parity::diffusion;

/// Base of variants with an input and an output field; pad is the halo width, or 0 for periodic indices.
template <class T>
class FieldPair : public Variant<T> {
 public:
  FieldPair(const Problem& p, std::int64_t pad)
      : p_(p),
        pad_(pad),
        pitch_(p.nx + 2 * pad),
        rows_(p.ny + 2 * pad),
        in_(pitch_ * rows_ * p.nz),
        out_(in_.size()) {}

  void load(const T* field) override {
    scatter_interior(p_, pad_, pitch_, field, in_.data());
    out_.fill(poison<T>);
  }
  void synchronise() override {}
  void store(T* padded) override { gather_padded(p_, pad_, pitch_, in_.data(), p_.halo, padded); }
  void store_interior(T* field) override { gather_padded(p_, pad_, pitch_, in_.data(), 0, field); }

 protected:
  /// Copies bottom and top rows, then left and right columns over the full height. Needs a parallel region.
  void update_halo_in_region() {
    T* const f = in_.data();
    const std::int64_t h = pad_, nx = p_.nx, ny = p_.ny;
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < p_.nz; ++k)
      for (std::int64_t r = 0; r < 2 * h; ++r) {
        const std::int64_t j = halo_coordinate(r, ny, h);
        const T* from = f + (k * rows_ + periodic_source(j, ny, h)) * pitch_ + h;
        std::copy(from, from + nx, f + (k * rows_ + j) * pitch_ + h);
      }
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < p_.nz * rows_; ++row)
      for (std::int64_t c = 0; c < 2 * h; ++c) {
        const std::int64_t i = halo_coordinate(c, nx, h);
        f[row * pitch_ + i] = f[row * pitch_ + periodic_source(i, nx, h)];
      }
  }

  Problem p_;
  std::int64_t pad_, pitch_, rows_;
  runtime::HostArray<T> in_, out_;
};

}  // namespace parity::openmp
