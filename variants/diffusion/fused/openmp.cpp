// SPDX-License-Identifier: BSD-3-Clause
// fused, OpenMP: one loop updates the interior of each row. Two loops in a parallel region update the halo.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"

namespace parity::diffusion::fused {
namespace {

using namespace parity::openmp;

template <class T>
class Fused : public FieldPair<T> {
 public:
  Fused(const Problem& p, const Tuning&) : FieldPair<T>(p, p.halo) {}

  void advance() override {
    const Problem& p = this->p_;
    const std::int64_t h = p.halo, pitch = this->pitch_;
    const T alpha = T(p.alpha);
#pragma omp parallel
    for (std::int64_t step = 0; step < p.steps; ++step) {
      this->update_halo_in_region();
      const T* const in = this->in_.data();
      T* const out = this->out_.data();
#pragma omp for collapse(2) schedule(static)
      for (std::int64_t k = 0; k < p.nz; ++k)
        for (std::int64_t j = 0; j < p.ny; ++j) {
          const std::int64_t offset = (k * this->rows_ + h + j) * pitch + h;
          const T* const c = in + offset;
          T* const to = out + offset;
#pragma omp simd
          for (std::int64_t i = 0; i < p.nx; ++i) to[i] = update_at(alpha, FlatNeighbours<T>{c + i, pitch});
        }
#pragma omp single
      swap(this->in_, this->out_);
    }
#pragma omp parallel
    this->update_halo_in_region();
  }
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.model = [](const Problem& p) { return cost_per_step(p, 3, 2, direct_flops); };
  return with_factories<Fused>(e);
}

}  // namespace parity::diffusion::fused
