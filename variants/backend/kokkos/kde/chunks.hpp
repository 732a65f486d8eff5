// SPDX-License-Identifier: BSD-3-Clause
// Sums over chunks of samples, and the second pass over the chunks' sums: what split sums and the ring share.
// On a host a team is one thread, and a thread's queries are its vector lanes.
#pragma once
#include "backend/kokkos/kde/samples.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::kde {

/// Bytes of scratch for add_chunk and a term's table, and so many to ask for.
template <class T, class Term>
constexpr std::size_t chunk_scratch = stage_packs * sizeof(Pack<T>) + Term::table_size * sizeof(double);
template <class T, class Term>
constexpr int chunk_request = int(chunk_scratch<T, Term> + 2 * sizeof(double));

/// Adds the terms of the packs [first, last), staged through scratch by all threads of a team, to the totals
/// of a thread's R queries: doubles, or ExactSums.
template <int Unroll, int R, class T, class Term, class Team, class Total>
KOKKOS_INLINE_FUNCTION void add_chunk(const Team& team, const Term& term, const T (&q)[R], const T* samples,
                                      int first, int last, Pack<T>* stage, Total (&total)[R]) {
  const int thread = team.team_rank(), threads = team.team_size();
  for (int at = first; at < last; at += stage_packs) {
    const int count = last - at < stage_packs ? last - at : stage_packs;
    team.team_barrier();
    for (int k = thread; k < count; k += threads)
      stage[k] = reinterpret_cast<const Pack<T>*>(samples)[at + k];
    team.team_barrier();
    for (int flush = 0; flush < count; flush += flush_packs) {
      T sum[R];
      PARITY_LANES
      for (int r = 0; r < R; ++r) sum[r] = 0;
      PARITY_UNROLL_BY(Unroll)
      for (int k = 0; k < flush_packs; ++k) add_pack(term, q, stage[flush + k], sum);
      PARITY_LANES
      for (int r = 0; r < R; ++r) total[r] += double(sum[r]);
    }
  }
}

template <class Into>
struct SecondPass {
  Into sink;
  int chunks;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t query) const { sink.finish(chunks, query); }
};

/// The bytes of partial sums that split_for allows.
inline double partial_bytes(const Problem& p) {
  return compat::exec_is_device() ? std::max(8.0 * double(p.n), double(std::int64_t(64) << 20)) : 0.0;
}

// Split sums: partial sums, and a reduction over the chunks; launched at once or added to a graph.

/// What split sums have in common; the tuning is the number of chunks. First derives from it and launches the
/// partial sums:
///   template <class Queue> void first(Queue& queue, const Sink<T>& sink) const
template <class T, class First>
struct SplitPasses {
  Samples<T> s;
  Split split;
  Array<double> partial;
  /// tile: queries of a block or team.
  SplitPasses(const Problem& p, const Tuning& t, int tile)
      : s(p), split(split_into(p.n, tile, t[0])), partial("partial sums", std::size_t(split.chunks * p.n)) {}
  void operator()() const {
    compat::StreamQueue queue(s.exec);
    enqueue(queue);
  }
  template <class Queue>
  void enqueue(Queue& queue) const {
    const Sink<T> sink = s.sink(partial.data());
    static_cast<const First&>(*this).first(queue, sink);
    queue.parallel_for("parity::kde::reduce_chunks",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(queue.exec(), 0, int(sink.n)),
                       SecondPass<Sink<T>>{sink, split.chunks});
  }
};

/// A split sum whose passes can be one Kokkos graph.
template <class T, class Sum>
class SplitGraph : public Summed<T, Sum> {
 public:
  using Summed<T, Sum>::Summed;
  void prepare() override {
    graph_ = std::make_unique<compat::KokkosGraph>(this->sum_.s.exec,
                                                   [this](auto& queue) { this->sum_.enqueue(queue); });
    graph_->instantiate();
    graph_->upload();
  }
  void advance() override { graph_ ? graph_->launch() : this->sum_(); }

 private:
  std::unique_ptr<runtime::Graph> graph_;
};

/// The entry with a split sum's factories.
template <template <class> class Sum>
Entry with_split(Entry e) {
  if (!compat::exec_is_device()) e.tunings = {"1", "2", "4"};
  e.extra_bytes = [](const Problem& p) { return 8.0 * 64 * double(p.n); };
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] > 64) return "at most 64 chunks, so that the partial sums stay small";
    if (p.n > 2147483647 - 256) return "more than 2^31 - 1 samples: its index has 32 bits";
    return std::nullopt;
  };
  return with_sum<Sum, SplitGraph>(e);
}

}  // namespace parity::kde
