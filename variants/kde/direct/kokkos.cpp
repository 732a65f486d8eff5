// SPDX-License-Identifier: BSD-3-Clause
// direct, Kokkos, first version: a team a query, whose threads reduce over the samples.
#include "algorithm.hpp"
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde::direct {
namespace {

template <class T>
struct Direct {
  Samples<T> s;
  Direct(const Problem& p, const Tuning&) : s(p) {}
  void operator()() const {
    using Team = Kokkos::TeamPolicy<Exec>::member_type;
    const int n = int(s.p.n);
    const LibraryTerm<T> term(s.p.bandwidth);
    const double norm = s.p.norm();
    const Array<T> samples = s.samples(), density = s.densities();
    Kokkos::parallel_for(
        "parity::kde::direct", Kokkos::TeamPolicy<Exec>(s.exec, n, Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team& team) {
          const int i = team.league_rank();
          const T q = samples(i);
          T sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(team, n), [&](int j, T& partial) { partial += term(q, samples(j)); },
              sum);
          Kokkos::single(Kokkos::PerTeam(team), [&] { density(i) = T(sum * norm); });
        });
  }
};

}  // namespace

Entry kokkos() { return with_sum<Direct>(plain_algorithm()); }

}  // namespace parity::kde::direct
