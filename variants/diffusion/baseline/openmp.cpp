// SPDX-License-Identifier: BSD-3-Clause
// baseline, OpenMP: one parallel loop per elementary operation.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"

namespace parity::diffusion::baseline {
namespace {

using namespace parity::openmp;

template <class T>
class Baseline : public FieldPair<T> {
 public:
  Baseline(const Problem& p, const Tuning&) : FieldPair<T>(p, p.halo), tmp_(p.padded_points()) {}

  void load(const T* field) override {
    FieldPair<T>::load(field);
    tmp_.fill(poison<T>);
  }
  void advance() override {
    const T alpha = T(this->p_.alpha);
    const std::int64_t n = this->in_.size();
    for (std::int64_t step = 0; step < this->p_.steps; ++step) {
      update_halo();
      laplacian_by_passes(this->in_.data(), tmp_.data());
      laplacian_by_passes(tmp_.data(), this->out_.data());
      const T* const in = this->in_.data();
      T* const out = this->out_.data();
#pragma omp parallel for simd schedule(static)
      for (std::int64_t i = 0; i < n; ++i) out[i] = -alpha * out[i];
#pragma omp parallel for simd schedule(static)
      for (std::int64_t i = 0; i < n; ++i) out[i] += in[i];
      swap(this->in_, this->out_);
    }
    update_halo();
  }

 private:
  void update_halo() {
#pragma omp parallel
    this->update_halo_in_region();
  }
  void laplacian_by_passes(const T* from, T* to) {
    const std::int64_t pitch = this->pitch_, n = this->in_.size() - pitch;
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = pitch; i < n; ++i) to[i] = T(laplacian_centre_weight) * from[i];
    for (const std::int64_t shift : {std::int64_t(-1), std::int64_t(1), -pitch, pitch}) {
      const T* const neighbour = from + shift;
#pragma omp parallel for simd schedule(static)
      for (std::int64_t i = pitch; i < n; ++i) to[i] += neighbour[i];
    }
  }

  runtime::HostArray<T> tmp_;
};

}  // namespace

Entry openmp() {
  Entry e = algorithm();
  e.model = [](const Problem& p) { return cost_per_step(p, 14, 33, 20); };  // two loops update the halo
  return with_factories<Baseline>(e);
}

}  // namespace parity::diffusion::baseline
