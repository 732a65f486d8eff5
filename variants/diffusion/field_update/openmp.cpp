// SPDX-License-Identifier: BSD-3-Clause
// field_update, OpenMP: loops of one parallel region compute the Laplacian and update the halo and the field.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"
#include "backend/openmp/diffusion/rows.hpp"

namespace parity::diffusion::field_update {
namespace {

using namespace parity::openmp;

template <class T>
class FieldUpdate : public FieldPair<T> {
 public:
  FieldUpdate(const Problem& p, const Tuning&) : FieldPair<T>(p, p.halo), tmp_(p.padded_points()) {}

  void load(const T* field) override {
    FieldPair<T>::load(field);
    tmp_.fill(poison<T>);
  }
  void advance() override {
    const Problem& p = this->p_;
    const std::int64_t h = p.halo, pitch = this->pitch_;
    const T alpha = T(p.alpha);
#pragma omp parallel
    for (std::int64_t step = 0; step < p.steps; ++step) {
      this->update_halo_in_region();
      laplacian_in_region(this->in_.data(), tmp_.data(), h - 1);
      laplacian_in_region(tmp_.data(), this->out_.data(), h);
#pragma omp for collapse(2) schedule(static)
      for (std::int64_t k = 0; k < p.nz; ++k)
        for (std::int64_t j = h; j < h + p.ny; ++j) {
          const T* const in = this->in_.data() + (k * this->rows_ + j) * pitch;
          T* const out = this->out_.data() + (k * this->rows_ + j) * pitch;
#pragma omp simd
          for (std::int64_t i = h; i < h + p.nx; ++i) out[i] = update(in[i], alpha, out[i]);
        }
#pragma omp single
      swap(this->in_, this->out_);
    }
#pragma omp parallel
    this->update_halo_in_region();
  }

 private:
  void laplacian_in_region(const T* from, T* to, std::int64_t margin) {
    const std::int64_t pitch = this->pitch_, rows = this->rows_;
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < this->p_.nz; ++k)
      for (std::int64_t j = margin; j < rows - margin; ++j) {
        const T* const c = from + (k * rows + j) * pitch;
        laplacian_row(c - pitch, c, c + pitch, to + (k * rows + j) * pitch, margin, pitch - margin);
      }
  }

  runtime::HostArray<T> tmp_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.model = [](const Problem& p) {
    return cost_per_step(p, 5, 7, two_stage_flops);
  };  // two loops update the halo
  return with_factories<FieldUpdate>(e);
}

}  // namespace parity::diffusion::field_update
