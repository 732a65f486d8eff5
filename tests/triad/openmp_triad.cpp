// SPDX-License-Identifier: BSD-3-Clause
// triad/openmp-triad: a parallel loop. Twin of kokkos-triad.
#include <algorithm>
#include <limits>

#include "runtime/host_array.hpp"
#include "variant.hpp"

namespace parity::triad {
namespace {

template <class T>
class OpenmpTriad : public Variant<T> {
 public:
  OpenmpTriad(const Problem& p, const harness::Tuning&) : p_(p), a_(p.n), b_(p.n), c_(p.n) {}
  void load(const T* b, const T* c) override {
    std::copy(b, b + p_.n, b_.data());
    std::copy(c, c + p_.n, c_.data());
    a_.fill(std::numeric_limits<T>::quiet_NaN());
  }
  void advance() override {
    T* const a = a_.data();
    const T *const b = b_.data(), *const c = c_.data();
    const T s = T(p_.scalar);
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < p_.n; ++i) a[i] = b[i] + s * c[i];
  }
  void synchronise() override {}
  void store(T* a) override { std::copy(a_.data(), a_.data() + p_.n, a); }

 private:
  Problem p_;
  runtime::HostArray<T> a_, b_, c_;
};

}  // namespace

Entry openmp_triad() {
  Entry e;
  e.name = "openmp-triad";
  e.family = harness::Family::openmp;
  e.summary = "a parallel loop";
  return harness::with_factories<OpenmpTriad>(e);
}

}  // namespace parity::triad
