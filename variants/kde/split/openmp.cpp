// SPDX-License-Identifier: BSD-3-Clause
// split, OpenMP, first version: a loop over queries and chunks, then one over the queries.
#include "algorithm.hpp"
#include "backend/openmp/kde/samples.hpp"

namespace parity::kde::split {
namespace {

using namespace parity::openmp;

template <class T>
class SplitLoops : public OpenmpSamples<T> {
 public:
  SplitLoops(const Problem& p, const Tuning& t) : OpenmpSamples<T>(p), chunks_(t[0]), sums_(p.n * t[0]) {}
  void advance() override {
    const int n = int(this->p_.n), chunks = chunks_, length = (n + chunks - 1) / chunks;
    const LibraryTerm<T> term(this->p_.bandwidth);
    const double norm = this->p_.norm();
    const T* const samples = this->samples_.data();
    T *const density = this->density_.data(), *const sums = sums_.data();
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < chunks; ++c) {
        const int last = (c + 1) * length < n ? (c + 1) * length : n;
        const T q = samples[i];
        T sum = 0;
        for (int j = c * length; j < last; ++j) sum += term(q, samples[j]);
        sums[std::int64_t(i) * chunks + c] = sum;
      }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) {
      double total = 0;
      for (int c = 0; c < chunks; ++c) total += double(sums[std::int64_t(i) * chunks + c]);
      density[i] = T(total * norm);
    }
  }

 private:
  int chunks_;
  runtime::HostArray<T> sums_;  ///< (query, chunk)
};

}  // namespace

Entry openmp() {
  Entry e = plain_algorithm();
  e.tunings = {"1", "2", "4"};
  e.captured = false;
  return with_factories<SplitLoops>(e);
}

}  // namespace parity::kde::split
