// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split-graph: both kernels of kokkos-split as one Kokkos graph. Twin of cuda-split-graph.
#include "kde/kokkos/split.hpp"

namespace parity::kde {
namespace {

template <class T>
class SplitGraph : public Summed<T, SplitSum<T>> {
 public:
  using Summed<T, SplitSum<T>>::Summed;
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

}  // namespace

Entry kokkos_split_graph() {
  Entry e = split_entry("kokkos-split-graph", "the same as one Kokkos graph", "cuda-split-graph");
  e.captured = true;
  return with_factories<SplitGraph>(e);
}

}  // namespace parity::kde
