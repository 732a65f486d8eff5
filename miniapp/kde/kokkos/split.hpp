// SPDX-License-Identifier: BSD-3-Clause
// The original work's unfinished idea in portable code: an MDRange over (query, sample chunk) with partial
// sums, and a reduction over the chunks; launched at once or added to a graph.
#pragma once
#include "kde/kokkos/samples.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::kde {

/// The table of powers in double would need memory near the processor: a range has none, so its double
/// arithmetic is the polynomial.
template <class T>
struct SplitTermOf {
  using Type = HardwareTerm<T>;
};
template <>
struct SplitTermOf<double> {
  using Type = PolynomialTerm<double>;
};

template <class T>
struct SplitFunctor {
  const T* samples;
  typename SplitTermOf<T>::Type term;
  Split split;
  Sink<T> sink;
  KOKKOS_INLINE_FUNCTION void operator()(int query, int chunk) const {
    const T q[1] = {samples[query]};
    double total[1] = {0};
    add_packs<8, 1>(term, q, reinterpret_cast<const Pack<T>*>(samples) + split.first(chunk),
                    split.last(chunk) - split.first(chunk), total);
    sink.put(chunk, query, total[0]);
  }
};

template <class T>
struct ReduceChunksFunctor {
  Sink<T> sink;
  int chunks;
  KOKKOS_INLINE_FUNCTION void operator()(int query) const { sink.finish(chunks, query); }
};

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
                       ReduceChunksFunctor<T>{sink, split.chunks});
  }
};

/// Both passes of a split sum as one Kokkos graph.
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
/// The entry of a split sum's graph.
template <template <class> class Sum>
Entry with_graph(Entry e) {
  e.captured = true;
  return with_sum<Sum, SplitGraph>(e);
}

template <class T>
struct SplitSum : SplitPasses<T, SplitSum<T>> {
  using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                      Kokkos::IndexType<int>>;
  SplitSum(const Problem& p, const Tuning& t) : SplitPasses<T, SplitSum>(p, t, 256) {}
  template <class Queue>
  void first(Queue& queue, const Sink<T>& sink) const {
    const Problem& p = this->s.p;
    queue.parallel_for(
        "parity::kde::split", Range(queue.exec(), {0, 0}, {int(p.n), this->split.chunks}, {256, 1}),
        SplitFunctor<T>{this->s.data(), typename SplitTermOf<T>::Type(p.bandwidth), this->split, sink});
  }
};

inline Entry split_entry(const char* name, const char* summary, const char* twin) {
  Entry e = kokkos_entry(name, summary, twin, "");
  if (compat::exec_is_device())
    e.tunings = {"16", "4", "8", "32"};
  else
    e.tunings = {"1", "2", "4"};
  e.tuning_axes = "chunks of samples";
  e.launches = 2;
  e.extra_bytes = [](const Problem& p) { return 8.0 * 64 * double(p.n); };
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] > 64) return "at most 64 chunks, so that the partial sums stay small";
    if (p.n > 2147483647 - 256) return "more than 2^31 - 1 samples: its index has 32 bits";
    return std::nullopt;
  };
  return e;
}

}  // namespace parity::kde
