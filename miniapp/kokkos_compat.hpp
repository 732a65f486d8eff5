// SPDX-License-Identifier: BSD-3-Clause
// The only file that looks at KOKKOS_VERSION. Supported: 3.4.01 to 5.x.
#pragma once
#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace parity::compat {

#if KOKKOS_VERSION < 30400
#error "Parity needs Kokkos 3.4.01 or newer"
#endif

inline void start_kokkos() {
#if KOKKOS_VERSION >= 30700
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
  Kokkos::InitArguments arguments;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
#endif
}

using Exec = Kokkos::DefaultExecutionSpace;

/// Whether Kokkos' default execution space has a memory of its own (a GPU).
constexpr bool exec_is_device() {
  return !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
}

inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

/// An execution space instance on a CUDA stream, or the default one where 'stream' is null.
inline Exec exec_on([[maybe_unused]] void* stream) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    if (stream) return Exec(static_cast<cudaStream_t>(stream));
  }
#endif
  return Exec();
}

/// An unsigned 64-bit type whose atomic addition is one instruction of a GPU; of others Kokkos makes a loop
/// of compare-and-swap, many times slower where threads meet.
#if KOKKOS_VERSION >= 40000
using AtomicSum = std::uint64_t;
#else
using AtomicSum = unsigned long long;
#endif

/// Threads an instance can have at work at once.
inline int concurrency([[maybe_unused]] const Exec& exec) {
#if KOKKOS_VERSION >= 40100
  return exec.concurrency();
#else
  return Exec::concurrency();
#endif
}

/// Multiprocessors of an instance's GPU; 1 on the host.
inline int multiprocessors([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return exec.cuda_device_prop().multiProcessorCount;
#endif
  return 1;
}

/// Bytes of shared memory that the teams of a GPU's multiprocessor have together; 0 on the host.
inline std::int64_t shared_memory_of_multiprocessor([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>)
    return std::int64_t(exec.cuda_device_prop().sharedMemPerMultiprocessor);
#endif
  return 0;
}

/// The CUDA stream of an instance, or null on the host.
inline void* stream_of([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return static_cast<void*>(exec.cuda_stream());
#endif
  return nullptr;
}

/// Throws for a launch that failed, and clears the error. Kokkos itself asks in debug builds only: without
/// this the error would stay and be blamed on whoever asks CUDA next.
inline void check_launches([[maybe_unused]] const char* what) {
#ifdef KOKKOS_ENABLE_CUDA
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": a launch failed: " + cudaGetErrorString(status));
#endif
}

/// Waits for everything on an instance, and reports the launches that failed. Asked first, while the device
/// is busy, the question costs no time.
inline void synchronise(const Exec& exec, const char* what) {
  check_launches(what);
  exec.fence();
}

// Kokkos' graphs. Before 4.5 they instantiate in their first submit and run on the instance they were built
// with; from 5.1 they are built from a device handle.
using Graph = Kokkos::Experimental::Graph<Exec>;
using GraphNode = Kokkos::Experimental::GraphNodeRef<Exec>;

/// A graph of what build(instance for node policies, root) adds.
template <class Build>
Graph build_graph(const Exec& exec, const Build& build) {
#if KOKKOS_VERSION >= 50100
  Graph graph{Kokkos::Experimental::get_device_handle(exec)};
  build(KOKKOS_VERSION >= 50200 ? Exec() : exec, graph.root_node());
  return graph;
#else
  return Kokkos::Experimental::create_graph(exec, [&](const auto& root) { build(exec, GraphNode(root)); });
#endif
}

inline void instantiate_graph([[maybe_unused]] Graph& graph) {
#if KOKKOS_VERSION >= 40500
  graph.instantiate();
#endif
}

inline void submit_graph(Graph& graph, [[maybe_unused]] const Exec& exec) {
#if KOKKOS_VERSION >= 40500
  graph.submit(exec);
#else
  graph.submit();
#endif
}

}  // namespace parity::compat
