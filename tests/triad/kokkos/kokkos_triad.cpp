// SPDX-License-Identifier: BSD-3-Clause
// triad/kokkos-triad: parallel_for over a RangePolicy.
#include <algorithm>

#include "../variant.hpp"
#include "kokkos_compat.hpp"

namespace parity::triad {
namespace {

template <class T>
class KokkosTriad : public Variant<T> {
 public:
  KokkosTriad(const Problem& p, const harness::Tuning&) : p_(p), a_("a", p.n), b_("b", p.n), c_("c", p.n) {}
  void load(const T* b, const T* c) override {
    upload(b_, b);
    upload(c_, c);
    Kokkos::deep_copy(a_, std::numeric_limits<T>::quiet_NaN());
  }
  void advance() override {
    const auto a = a_, b = b_, c = c_;
    const T s = T(p_.scalar);
    Kokkos::parallel_for(
        "parity::triad::triad", Kokkos::RangePolicy<compat::Exec, Kokkos::IndexType<std::int64_t>>(0, p_.n),
        KOKKOS_LAMBDA(std::int64_t i) { a(i) = b(i) + s * c(i); });
  }
  void synchronise() override { Kokkos::fence(); }
  void store(T* a) override {
    const auto host = Kokkos::create_mirror_view(a_);
    Kokkos::deep_copy(host, a_);
    std::copy(host.data(), host.data() + p_.n, a);
  }

 private:
  using Values = Kokkos::View<T*, compat::Exec>;
  static void upload(const Values& values, const T* from) {
    const auto host = Kokkos::create_mirror_view(values);
    std::copy(from, from + values.extent(0), host.data());
    Kokkos::deep_copy(values, host);
  }

  Problem p_;
  Values a_, b_, c_;
};

}  // namespace

Entry kokkos_triad() {
  Entry e;
  e.name = "kokkos-triad";
  e.family = harness::Family::kokkos;
  e.summary = "parallel_for over a RangePolicy";
  e.twin = "openmp-triad";
  return harness::with_factories<KokkosTriad>(e);
}

}  // namespace parity::triad
