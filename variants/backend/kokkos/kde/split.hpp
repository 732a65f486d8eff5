// SPDX-License-Identifier: BSD-3-Clause
// Common parts of split sums in Kokkos: partial sums, and a reduction over the chunks, launched at once or
// added to a graph.
#pragma once
#include "backend/kokkos/kde/samples.hpp"
#include "runtime/kokkos/queue.hpp"

namespace parity::kde {

template <class T>
struct ReduceChunksFunctor {
  Sink<T> sink;
  int chunks;
  KOKKOS_INLINE_FUNCTION void operator()(int query) const { sink.finish(chunks, query); }
};

/// Base of split sums; the tuning is the number of chunks. First derives from it and launches the partial
/// sums: template <class Queue> void first(Queue& queue, const Sink<T>& sink) const
template <class T, class First>
struct SplitPasses {
  Samples<T> s;
  Split split;
  Array<double> partial;
  /// tile: queries per block or team.
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
    Kokkos::parallel_for(queue, "parity::kde::reduce_chunks",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(queue.exec(), 0, int(sink.n)),
                         ReduceChunksFunctor<T>{sink, split.chunks});
  }
};

/// A split sum that can run its passes as one Kokkos graph.
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

/// Adds a split sum's factories to the entry.
template <template <class> class Sum>
Entry with_split(Entry e) {
  if (!compat::exec_is_device()) e.tunings = {"1", "2", "4"};
  e.refuse += [](const Problem& p, const Tuning&) -> std::optional<std::string> {
    if (p.n > 2147483647 - 256) return "more than 2^31 - 1 samples: its index has 32 bits";
    return std::nullopt;
  };
  return with_sum<Sum, SplitGraph>(e);
}

}  // namespace parity::kde
