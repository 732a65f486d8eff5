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

/// The second pass of all split sums.
template <class T, class Queue>
void add_chunks(Queue& queue, const Sink<T>& sink, int chunks) {
  queue.parallel_for("parity::kde::reduce_chunks",
                     Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(queue.exec(), 0, int(sink.n)),
                     ReduceChunksFunctor<T>{sink, chunks});
}

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
/// The entry of a split sum's graph, in both precisions.
template <template <class> class Sum>
Entry with_graph(Entry e) {
  e.captured = true;
  e.make_f32 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<float>> {
    return std::make_unique<SplitGraph<float, Sum<float>>>(p, t);
  };
  e.make_f64 = [](const Problem& p, const Tuning& t) -> std::unique_ptr<Variant<double>> {
    return std::make_unique<SplitGraph<double, Sum<double>>>(p, t);
  };
  return e;
}

/// The tuning is the number of chunks.
template <class T>
struct SplitSum {
  using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                      Kokkos::IndexType<int>>;
  Samples<T> s;
  Split split;
  Array<double> partial;
  SplitSum(const Problem& p, const Tuning& t)
      : s(p), split(split_into(p.n, 256, t[0])), partial("partial sums", std::size_t(split.chunks * p.n)) {}
  void operator()() const {
    compat::StreamQueue queue(s.exec);
    enqueue(queue);
  }
  template <class Queue>
  void enqueue(Queue& queue) const {
    const Sink<T> sink = s.sink(partial.data());
    const int n = int(s.p.n);
    queue.parallel_for("parity::kde::split", Range(queue.exec(), {0, 0}, {n, split.chunks}, {256, 1}),
                       SplitFunctor<T>{s.data(), typename SplitTermOf<T>::Type(s.p.bandwidth), split, sink});
    add_chunks(queue, sink, split.chunks);
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
