// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-graph: both passes of cuda-split-two-pass as one captured graph. Twin of kokkos-split-graph.
#include "cuda/graph.hpp"
#include "two_pass.cuh"

namespace parity::cuda {
namespace {

template <class T>
class SplitGraph : public TwoPass<T> {
 public:
  using TwoPass<T>::TwoPass;
  void prepare() override {
    graph_ = capture(this->stream_, [this] { TwoPass<T>::advance(); });
    graph_->instantiate();
    graph_->upload();
  }
  void advance() override {
    if (graph_)
      graph_->submit();
    else
      TwoPass<T>::advance();
  }

 private:
  std::unique_ptr<study::Recording> graph_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::kde {

Entry cuda_split_graph() {
  Entry e = cuda::split_entry(2);
  e.recorded = true;
  return with_factories<cuda::SplitGraph>(e);
}

}  // namespace parity::kde
