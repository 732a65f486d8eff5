// SPDX-License-Identifier: BSD-3-Clause
// direct, Kokkos, first version: one team per query reduces over the samples. Its -team form has teams of a
// chosen size: the original work's sweep over block widths.
#include "algorithm.hpp"
#include "backend/kokkos/kde/samples.hpp"

namespace parity::kde::direct {
namespace {

template <class T>
struct Direct {
  Samples<T> s;
  int width;  ///< threads per team; 0: Kokkos chooses
  Direct(const Problem& p, const Tuning& t) : s(p), width(t.empty() ? 0 : t[0]) {}
  void operator()() const {
    using Policy = Kokkos::TeamPolicy<Exec>;
    using Team = Policy::member_type;
    const int n = int(s.p.n);
    const LibraryTerm<T> term(s.p.bandwidth);
    const double norm = s.p.norm();
    const Array<T> samples = s.samples(), density = s.densities();
    Kokkos::parallel_for(
        "parity::kde::direct", width > 0 ? Policy(s.exec, n, width) : Policy(s.exec, n, Kokkos::AUTO),
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

Entry kokkos_team() {
  Entry e = with_block_widths(plain_algorithm());
  if (!compat::exec_is_device()) e.unavailable = "a host's team is one thread, which kokkos-direct has";
  return with_sum<Direct>(e);
}

}  // namespace parity::kde::direct
