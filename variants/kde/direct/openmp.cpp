// SPDX-License-Identifier: BSD-3-Clause
// direct, OpenMP: one loop distributes the queries over threads.
#include "algorithm.hpp"
#include "backend/openmp/kde/samples.hpp"

namespace parity::kde::direct {
namespace {

using namespace parity::openmp;

template <class T>
class DirectLoop : public OpenmpSamples<T> {
 public:
  DirectLoop(const Problem& p, const Tuning&) : OpenmpSamples<T>(p) {}
  void advance() override {
    const int count = int(this->samples_.size() / pack_width);
    const LibraryTerm<T> term(this->p_.bandwidth);
    const double norm = this->p_.norm();
    const T* const samples = this->samples_.data();
    const auto* const packs = reinterpret_cast<const Pack<T>*>(samples);
    T* const density = this->density_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < this->p_.n; ++i) {
      const T q = samples[i];
      double total = 0;
      for (int first = 0; first < count; first += flush_packs) {
        T sum = 0;
        for (int k = 0; k < flush_packs; ++k) sum = add_pack(term, q, packs[first + k], sum);
        total += double(sum);
      }
      density[i] = T(total * norm);
    }
  }
};

}  // namespace

Entry openmp() { return with_factories<DirectLoop>(algorithm()); }

}  // namespace parity::kde::direct
