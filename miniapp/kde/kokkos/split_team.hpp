// SPDX-License-Identifier: BSD-3-Clause
// The split sum as an expert writes it: a team a (query tile, sample chunk), samples and the table of powers
// in scratch memory, and a reduction over the chunks.
#pragma once
#include "kde/kokkos/register_tile.hpp"
#include "kde/kokkos/split.hpp"

namespace parity::kde {

/// A thread's queries, and the threads of a team: a host's team is one thread, whose queries are vector
/// lanes.
constexpr int split_queries = compat::exec_is_device() ? 1 : 64;
constexpr int split_team_size = compat::exec_is_device() ? 256 : 1;

/// The tuning is the number of chunks.
template <class T>
struct SplitTeams {
#ifdef KOKKOS_ENABLE_CUDA
  using Term = HardwareTerm<T>;
#else
  using Term = PolynomialTerm<T>;
#endif
  using Functor = RegisterTileFunctor<T, split_queries, Term, split_team_size, 1, 8>;
  Samples<T> s;
  Split split;
  Array<double> partial;
  SplitTeams(const Problem& p, const Tuning& t)
      : s(p),
        split(split_into(p.n, split_queries * split_team_size, t[0])),
        partial("partial sums", std::size_t(split.chunks * p.n)) {}
  void operator()() const {
    compat::StreamQueue queue(s.exec);
    enqueue(queue);
  }
  template <class Queue>
  void enqueue(Queue& queue) const {
    const Sink<T> sink = s.sink(partial.data());
    typename Functor::Policy policy(queue.exec(), split.tiles * split.chunks, split_team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(int(Functor::scratch_bytes)));
    queue.parallel_for("parity::kde::split_team", policy,
                       Functor{s.data(), Term(s.p.bandwidth), split, sink});
    add_chunks(queue, sink, split.chunks);
  }
};

inline Entry split_team_entry(const char* name, const char* summary, const char* twin) {
  Entry e = split_entry(name, summary, twin);
  e.expert = true;
  return e;
}

}  // namespace parity::kde
