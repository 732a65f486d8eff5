// SPDX-License-Identifier: BSD-3-Clause
// Launches recorded once and replayed with one call: a CUDA graph or a Kokkos graph.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace parity::runtime {

class Graph {
 public:
  virtual ~Graph() = default;
  /// Makes the graph ready to launch. Expensive; called once, before the first launch.
  virtual void instantiate() = 0;
  /// Copies the graph to the device ahead of the first launch; does nothing if the API has no such stage.
  virtual void upload() {}
  /// Launches the graph; may return before it is done.
  virtual void launch() = 0;
  /// Takes over the arguments of another graph of the same shape, without a new instantiation.
  virtual void update_from(const Graph& other) = 0;
  /// The same for one event, a kernel node, counted from 0. Throws std::logic_error if the graph cannot.
  virtual void update_node_from(const Graph& /*other*/, int /*event*/) {
    throw std::logic_error("one node of such a graph cannot take over arguments");
  }
};

/// The CUDA graph of the work that 'launches' enqueues on 'stream' (a cudaStream_t), to be launched in that
/// stream. Rethrows what 'launches' throws; throws for work that cannot be captured, and always without CUDA.
std::unique_ptr<Graph> capture(void* stream, const std::function<void()>& launches);

/// The CUDA graph that runs the work of 'body' 'passes' times (0 to 2^31 - 1), then that of 'rest' once. It
/// holds the body once; the device counts. Throws as capture() does. Needs why_no_loops() to be nullopt.
std::unique_ptr<Graph> capture_loop(void* stream, std::int64_t passes, const std::function<void()>& body,
                                    const std::function<void()>& rest);
/// The reason why a graph cannot repeat a part of itself here; nullopt if it can.
std::optional<std::string> why_no_loops();

/// Adds the work that 'launches' enqueues to a graph, as one node after the previous one.
using AddNode = std::function<void(const std::function<void()>& launches)>;
/// The Kokkos graph of the nodes that body(add) adds: each is captured from 'stream' (a cudaStream_t), in
/// which the graph is submitted. Call it only if why_no_capture_nodes() returns nullopt.
std::unique_ptr<Graph> capture_into_kokkos(void* stream, const std::function<void(const AddNode&)>& body);
/// The reason why a Kokkos graph cannot hold native CUDA kernels here; nullopt if it can.
std::optional<std::string> why_no_capture_nodes();

}  // namespace parity::runtime
