// SPDX-License-Identifier: BSD-3-Clause
// kde/openmp-polynomial: 2^x as a polynomial over explicit vector lanes, 64 queries at a time.
// Twin of kokkos-register-tile.
#include "backend/openmp/kde/samples.hpp"

namespace parity::openmp {
namespace {

constexpr int lanes = 64;

template <class T>
class Polynomial : public OpenmpSamples<T> {
 public:
  Polynomial(const Problem& p, const Tuning&) : OpenmpSamples<T>(p) {}
  void advance() override {
    const PolynomialTerm<T> term(this->p_.bandwidth);
    const T* const samples = this->samples_.data();
    const Split split = split_into(this->p_.n, lanes, 1);
    const Sink<T> sink{this->density_.data(), nullptr, this->p_.n, this->p_.norm()};
#pragma omp parallel for schedule(static)
    for (int tile = 0; tile < split.tiles; ++tile) {
      T q[lanes];
      double total[lanes] = {};
      load_queries(samples, sink.n, tile, 0, 1, q);
      add_packs<1, lanes>(term, q, reinterpret_cast<const Pack<T>*>(samples), split.packs, total);
      for (int r = 0; r < lanes; ++r) sink.put(0, query_of(tile, r, 0, 1, lanes), total[r]);
    }
  }
};

}  // namespace
}  // namespace parity::openmp

namespace parity::kde {

Entry register_tile_openmp() {
  Entry e;
  e.operations = 22;
  return with_factories<openmp::Polynomial>(e);
}

}  // namespace parity::kde
