// SPDX-License-Identifier: BSD-3-Clause
// Launches gathered once and started again with one call: a CUDA graph, or Kokkos' graph.
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
  /// Makes the graph ready to launch. Expensive; once, before the first launch.
  virtual void instantiate() = 0;
  /// Brings it to the device, so that the first launch need not; nothing to do where there is no such stage.
  virtual void upload() {}
  /// Starts everything in it; may return before it is done.
  virtual void launch() = 0;
  /// Takes over the arguments of another graph of the same shape, without a new instantiation.
  virtual void update_from(const Graph& other) = 0;
  /// The same of one of its events alone, counted from 0: a kernel node. Throws std::logic_error where a
  /// graph cannot.
  virtual void update_node_from(const Graph& /*other*/, int /*event*/) {
    throw std::logic_error("one node of such a graph cannot take over arguments");
  }
};

/// The CUDA graph of everything that 'launches' enqueues on 'stream' (a cudaStream_t), to be launched in that
/// stream. Throws what 'launches' throws, and for work that cannot be captured; without CUDA always.
std::unique_ptr<Graph> capture(void* stream, const std::function<void()>& launches);

/// The CUDA graph that runs what 'body' enqueues 'passes' times (0 to 2^31 - 1), and then once what 'rest'
/// does. The body is in it once; the device counts. Throws as capture() does; only where why_no_loops() has
/// no reason.
std::unique_ptr<Graph> capture_loop(void* stream, std::int64_t passes, const std::function<void()>& body,
                                    const std::function<void()>& rest);
/// Why a graph cannot repeat a part of itself here; nullopt where it can.
std::optional<std::string> why_no_loops();

/// Adds what 'launches' enqueues to a graph, as one node after the one before.
using AddNode = std::function<void(const std::function<void()>& launches)>;
/// The Kokkos graph of the nodes that body(add) adds: each is captured from 'stream' (a cudaStream_t), in
/// which the graph is submitted. Only where why_no_capture_nodes() has no reason.
std::unique_ptr<Graph> capture_into_kokkos(void* stream, const std::function<void(const AddNode&)>& body);
/// Why a Kokkos graph cannot hold native CUDA kernels here; nullopt where it can.
std::optional<std::string> why_no_capture_nodes();

}  // namespace parity::runtime
