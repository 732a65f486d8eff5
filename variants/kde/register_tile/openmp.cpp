// SPDX-License-Identifier: BSD-3-Clause
// register_tile, OpenMP: 64 queries at a time are vector lanes; a polynomial computes 2^x.
#include "algorithm.hpp"
#include "backend/openmp/kde/samples.hpp"

namespace parity::kde::register_tile {
namespace {

using namespace parity::openmp;

template <class T>
class RegisterTile : public OpenmpSamples<T> {
 public:
  RegisterTile(const Problem& p, const Tuning&) : OpenmpSamples<T>(p) {}
  void advance() override {
    constexpr int R = 64;
    const std::int64_t n = this->p_.n;
    const int count = int(this->samples_.size() / pack_width);
    const PolynomialTerm<T> term(this->p_.bandwidth);
    const double norm = this->p_.norm();
    const T* const samples = this->samples_.data();
    const auto* const packs = reinterpret_cast<const Pack<T>*>(samples);
    T* const density = this->density_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t tile = 0; tile < (n + R - 1) / R; ++tile) {
      const auto query = [&](int r) { return tile * R + r; };
      T q[R];
      double total[R] = {};
#pragma omp simd
      for (int r = 0; r < R; ++r) q[r] = samples[query(r) < n ? query(r) : n - 1];
      for (int first = 0; first < count; first += flush_packs) {
        T sum[R] = {};
        for (int k = 0; k < flush_packs; ++k) add_pack(term, q, packs[first + k], sum);
#pragma omp simd
        for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
      }
      for (int r = 0; r < R; ++r)
        if (query(r) < n) density[query(r)] = T(total[r] * norm);
    }
  }
};

}  // namespace

Entry openmp() {
  Entry e;
  e.operations = 22;
  return with_factories<RegisterTile>(e);
}

}  // namespace parity::kde::register_tile
