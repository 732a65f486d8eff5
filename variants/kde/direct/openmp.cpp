// SPDX-License-Identifier: BSD-3-Clause
// kde/openmp-direct: the library's exp for every pair, threads over queries: the host code one writes first.
// Twin of kokkos-range and kokkos-team-scratch.
#include "backend/openmp/kde/samples.hpp"

namespace parity::openmp {
namespace {

template <class T>
class Direct : public OpenmpSamples<T> {
 public:
  Direct(const Problem& p, const Tuning&) : OpenmpSamples<T>(p) {}
  void advance() override {
    const LibraryTerm<T> term(this->p_.bandwidth);
    const T* const samples = this->samples_.data();
    const int packs = int(this->samples_.size() / pack_width);
    const Sink<T> sink{this->density_.data(), nullptr, this->p_.n, this->p_.norm()};
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < this->p_.n; ++i) {
      const T q[1] = {samples[i]};
      double total[1] = {0};
      add_packs<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), packs, total);
      sink.put(0, i, total[0]);
    }
  }
};

}  // namespace
}  // namespace parity::openmp

namespace parity::kde {

Entry direct_openmp() { return with_factories<openmp::Direct>(Entry()); }

}  // namespace parity::kde
