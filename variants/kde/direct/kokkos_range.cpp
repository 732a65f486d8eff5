// SPDX-License-Identifier: BSD-3-Clause
// direct, Kokkos, a step between first and tuned: one index per query, in blocks whose size Kokkos chooses.
#include "algorithm.hpp"
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde::direct {
namespace {

template <class T>
struct DirectRange {
  Samples<T> s;
  DirectRange(const Problem& p, const Tuning&) : s(p) {}
  void operator()() const {
    const int count = int(s.size() / pack_width);
    const LibraryTerm<T> term(s.p.bandwidth);
    const double norm = s.p.norm();
    const T* const samples = s.data();
    T* const density = s.density();
    Kokkos::parallel_for(
        "parity::kde::direct_range",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(s.exec, 0, s.p.n),
        KOKKOS_LAMBDA(std::int64_t i) {
          const auto* const packs = reinterpret_cast<const Pack<T>*>(samples);
          const T q = samples[i];
          double total = 0;
          for (int first = 0; first < count; first += flush_packs) {
            T sum = 0;
            PARITY_UNROLL_BY(1)
            for (int k = 0; k < flush_packs; ++k) sum = add_pack(term, q, packs[first + k], sum);
            total += double(sum);
          }
          density[i] = T(total * norm);
        });
  }
};

}  // namespace

Entry kokkos_range() { return with_sum<DirectRange>(algorithm()); }

}  // namespace parity::kde::direct
