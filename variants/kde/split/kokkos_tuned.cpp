// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split-team: the split sum as an expert writes it: a team a (query tile, sample chunk), samples
// and the table of powers in scratch memory, and a reduction over the chunks. Twin of cuda-split-two-pass.
#include "backend/kokkos/kde/register_tile.hpp"
#include "split.hpp"

namespace parity::kde {
namespace {

/// A thread's queries, and the threads of a team: a host's team is one thread, whose queries are vector
/// lanes.
constexpr int split_queries = compat::exec_is_device() ? 1 : 64;
constexpr int split_team_size = compat::exec_is_device() ? 256 : 1;

template <class T>
struct SplitTeams : SplitPasses<T, SplitTeams<T>> {
#ifdef KOKKOS_ENABLE_CUDA
  using Term = HardwareTerm<T>;
#else
  using Term = PolynomialTerm<T>;
#endif
  using Functor = RegisterTileFunctor<T, split_queries, Term, split_team_size, 1, 8>;
  SplitTeams(const Problem& p, const Tuning& t)
      : SplitPasses<T, SplitTeams>(p, t, split_queries * split_team_size) {}
  template <class Queue>
  void first(Queue& queue, const Sink<T>& sink) const {
    typename Functor::Policy policy(queue.exec(), this->split.tiles * this->split.chunks, split_team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(int(Functor::scratch_bytes)));
    queue.parallel_for("parity::kde::split_team", policy,
                       Functor{this->s.data(), this->s.data(), Term(this->s.p.bandwidth), this->split, sink});
  }
};

}  // namespace

Entry split_kokkos_tuned() { return split_entry<SplitTeams>(); }

}  // namespace parity::kde
