// SPDX-License-Identifier: BSD-3-Clause
// fused_wrap, OpenMP: one loop updates each row. The columns at the seam are updated separately, so that the
// loop vectorises.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"

namespace parity::diffusion::fused_wrap {
namespace {

using namespace parity::openmp;

template <class T>
class FusedWrap : public FieldPair<T> {
 public:
  FusedWrap(const Problem& p, const Tuning&) : FieldPair<T>(p, 0) {}

  void advance() override {
    const Problem& p = this->p_;
    const std::int64_t nx = p.nx, ny = p.ny;
    const T alpha = T(p.alpha);
#pragma omp parallel
    for (std::int64_t step = 0; step < p.steps; ++step) {
      const T* const in = this->in_.data();
      T* const out = this->out_.data();
#pragma omp for collapse(2) schedule(static)
      for (std::int64_t k = 0; k < p.nz; ++k)
        for (std::int64_t j = 0; j < ny; ++j) {
          const T* const plane = in + k * ny * nx;
          T* const to = out + (k * ny + j) * nx;
          const WrappedRows<T> rows(plane, int(j), int(ny), int(nx));
          const auto seam = [&](std::int64_t i) {
            to[i] = update_at(alpha, WrappedNeighbours<T>(rows, int(i), int(nx)));
          };
          const std::int64_t last = std::max<std::int64_t>(nx - 2, 2);
          for (std::int64_t i = 0; i < std::min<std::int64_t>(2, nx); ++i) seam(i);
#pragma omp simd
          for (std::int64_t i = 2; i < nx - 2; ++i) to[i] = update_at(alpha, RowNeighbours<T>{rows, i});
          for (std::int64_t i = last; i < nx; ++i) seam(i);
        }
#pragma omp single
      swap(this->in_, this->out_);
    }
  }
};

}  // namespace

Entry openmp() { return with_factories<FusedWrap>(algorithm()); }

}  // namespace parity::diffusion::fused_wrap
