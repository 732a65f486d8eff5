// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-range: one query an index of a flat range, the library's exp: the portable code one writes
// first. Twin of cuda-register-sum, openmp-direct.
#include "kde/kokkos_samples.hpp"

namespace parity::kde {
namespace {

template <class T>
struct RangeFunctor {
  const T* samples;
  LibraryTerm<T> term;
  int packs;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const T q[1] = {samples[i]};
    double total[1] = {0};
    add_packs<1, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples), packs, total);
    sink.put(0, i, total[0]);
  }
};

template <class T>
class KokkosRange : public KokkosSamples<T> {
 public:
  KokkosRange(const Problem& p, const Tuning&) : KokkosSamples<T>(p) {}
  void advance() override {
    Kokkos::parallel_for(
        "parity::kde::range",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(this->exec_, 0, this->p_.n),
        RangeFunctor<T>{this->samples_.data(), LibraryTerm<T>(this->p_.bandwidth),
                        int(this->samples_.size() / pack_width),
                        Sink<T>{this->density_.data(), nullptr, this->p_.n, this->p_.norm()}});
  }
};

}  // namespace

Entry kokkos_range() {
  return with_factories<KokkosRange>(kokkos_entry("kokkos-range",
                                                  "one query an index of a flat range, the library's exp",
                                                  "cuda-register-sum", "openmp-direct"));
}

}  // namespace parity::kde
