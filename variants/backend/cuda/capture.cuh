// SPDX-License-Identifier: BSD-3-Clause
// CUDA graphs captured from a stream.
#pragma once
#include "native_graph.cuh"

namespace parity::cuda {

/// Runs 'launches' on a stream whose capture has begun, and ends the capture even if 'launches' throws.
/// Writes the graph's handle to *graph.
inline void finish_capture(cudaStream_t stream, const std::function<void()>& launches, cudaGraph_t* graph) {
  try {
    launches();
  } catch (...) {
    // The stream must not stay in capture mode.
    cudaStreamEndCapture(stream, graph);
    cudaGetLastError();
    throw;
  }
  PARITY_CUDA(cudaStreamEndCapture(stream, graph));
}

class CapturedGraph : public NativeGraph {
 public:
  using NativeGraph::NativeGraph;
  void upload() override {
    NativeGraph::upload();
    PARITY_CUDA(cudaStreamSynchronize(stream_));
  }
};

}  // namespace parity::cuda
