// SPDX-License-Identifier: BSD-3-Clause
// kde/kokkos-split-graph: both kernels of kokkos-split as one Kokkos graph. Twin of cuda-split-graph.
#include "kde/kokkos_split.hpp"

namespace parity::kde {
namespace {

template <class T>
class KokkosSplitGraph : public KokkosSplitSum<T> {
 public:
  using KokkosSplitSum<T>::KokkosSplitSum;
  void prepare() override {
    graph_ =
        std::make_unique<compat::GraphRecording>(this->exec_, [this](auto& queue) { this->enqueue(queue); });
    graph_->instantiate();
    graph_->upload();
  }
  void advance() override {
    if (graph_) return graph_->submit();
    compat::StreamQueue queue(this->exec_);
    this->enqueue(queue);
  }

 private:
  std::unique_ptr<study::Recording> graph_;
};

}  // namespace

Entry kokkos_split_graph() {
  Entry e = split_entry("kokkos-split-graph", "the same as one Kokkos graph", "cuda-split-graph");
  e.recorded = true;
  return with_factories<KokkosSplitGraph>(e);
}

}  // namespace parity::kde
