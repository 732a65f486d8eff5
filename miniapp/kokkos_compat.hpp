// SPDX-License-Identifier: BSD-3-Clause
// The only file that depends on KOKKOS_VERSION and on the vendor of Kokkos' GPU. Supports Kokkos 3.4.01 to
// 5.x.
#pragma once
#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

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

/// True if Kokkos' default execution space is a GPU. Memory spaces do not tell: some GPUs share the host's.
constexpr bool exec_is_device() { return !std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>; }

// PARITY_GPU calls the vendor's runtime for what Kokkos lacks. HostPinned is host memory that a GPU can
// access.
#if defined(KOKKOS_ENABLE_CUDA)
#define PARITY_GPU(name) cuda##name
using HostPinned = Kokkos::CudaHostPinnedSpace;
inline const auto& gpu_properties(const Exec& exec) { return exec.cuda_device_prop(); }
#elif defined(KOKKOS_ENABLE_HIP)
#define PARITY_GPU(name) hip##name
#if KOKKOS_VERSION < 40000
using HostPinned = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using HostPinned = Kokkos::HIPHostPinnedSpace;
#endif
inline const auto& gpu_properties(const Exec& exec) { return exec.hip_device_prop(); }
#else
using HostPinned = Kokkos::HostSpace;
#endif

inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

/// An execution space instance with its own queue, as native variants have their own streams. It is the
/// default instance if 'own' is false, and on a host.
class OwnInstance {
#if defined(PARITY_GPU) && KOKKOS_VERSION < 40000  // no partition_space
 public:
  explicit OwnInstance(bool own = true) {
    if (!own) return;
    if (PARITY_GPU(StreamCreateWithFlags)(&stream_, PARITY_GPU(StreamNonBlocking)) != PARITY_GPU(Success))
      throw std::runtime_error("no stream can be made on the GPU");
    exec = Exec(stream_);
  }
  ~OwnInstance() {
    if (!stream_) return;
    exec = Exec();  // releases the stream first
    (void)PARITY_GPU(StreamDestroy)(stream_);
  }
  OwnInstance(const OwnInstance&) = delete;
  OwnInstance& operator=(const OwnInstance&) = delete;

 private:
  PARITY_GPU(Stream_t) stream_ = nullptr;

 public:
  Exec exec;
#else
 public:
  explicit OwnInstance(bool own = true) {
#ifdef PARITY_GPU
    if (own) exec = Kokkos::Experimental::partition_space(Exec(), 1).front();
#else
    (void)own;
#endif
  }
  Exec exec;
#endif
};

/// Maximum threads of an MDRange tile on a GPU. Kokkos 5.2 aborts if a program asks for more, 5.0 does not.
constexpr int most_tile_threads = KOKKOS_VERSION >= 50100 ? 512 : 1024;

/// The reason if this build's Kokkos is older than 'version', such as 50000; nullopt otherwise.
inline std::optional<std::string> why_not_before(int version, const std::string& what) {
  if (KOKKOS_VERSION >= version) return std::nullopt;
  return what + " came with Kokkos " + std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "; this build has " + kokkos_version();
}

/// A range policy in which each GPU thread takes 'batch' indices; a plain range before Kokkos 5.0.
#if KOKKOS_VERSION >= 50000
template <unsigned batch>
using BatchedRange = Kokkos::RangePolicy<Exec, Kokkos::Experimental::StaticBatchSize<batch>>;
#else
template <unsigned>
using BatchedRange = Kokkos::RangePolicy<Exec>;
#endif

/// An unsigned 64-bit type whose atomic addition is one GPU instruction. For other types Kokkos uses a
/// compare-and-swap loop, many times slower under contention.
#if KOKKOS_VERSION >= 40000
using AtomicSum = std::uint64_t;
#else
using AtomicSum = unsigned long long;
#endif

/// Maximum number of concurrent threads of an instance.
inline int concurrency([[maybe_unused]] const Exec& exec) {
#if KOKKOS_VERSION >= 40100
  return exec.concurrency();
#else
  return Exec::concurrency();
#endif
}

/// Multiprocessors of an instance's GPU; 1 on the host.
inline int multiprocessors([[maybe_unused]] const Exec& exec) {
#ifdef PARITY_GPU
  return gpu_properties(exec).multiProcessorCount;
#else
  return 1;
#endif
}

/// Warp size: 32, or 64 on some AMD GPUs; 1 on the host. Shuffles span at most 32 lanes.
inline int lanes_of_warp() {
  return exec_is_device() ? int(Kokkos::TeamPolicy<Exec>::vector_length_max()) : 1;
}

/// Bytes of shared memory per multiprocessor of a GPU; 0 on the host.
inline std::int64_t shared_memory_of_multiprocessor([[maybe_unused]] const Exec& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  return std::int64_t(gpu_properties(exec).sharedMemPerMultiprocessor);
#elif defined(KOKKOS_ENABLE_HIP)
  return std::int64_t(gpu_properties(exec).maxSharedMemoryPerMultiProcessor);
#else
  return 0;
#endif
}

/// Maximum bytes of scratch for a team of 'threads' threads; 'most' is scratch_size_max(0). Before Kokkos 5.1
/// that reserves space for reductions of 1024 threads, but a launch only reserves it for its team.
constexpr std::int64_t scratch_of_launch(std::int64_t most, int threads, int version = KOKKOS_VERSION) {
  return version >= 50100 ? most : most + 8 * (1024 - threads) - 64;
}

/// The CUDA stream of an instance, for native CUDA; null if there is none.
inline void* stream_of([[maybe_unused]] const Exec& exec) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(PARITY_HAS_CUDA)
  return static_cast<void*>(exec.cuda_stream());
#else
  return nullptr;
#endif
}

/// Throws if a launch failed, and clears the error. Kokkos checks in debug builds only: an error left behind
/// would be reported by the next, unrelated GPU call.
inline void check_launches([[maybe_unused]] const char* what) {
#ifdef PARITY_GPU
  const auto status = PARITY_GPU(GetLastError)();
  if (status != PARITY_GPU(Success))
    throw std::runtime_error(std::string(what) + ": a launch failed: " + PARITY_GPU(GetErrorString)(status));
#endif
}

/// Waits for everything on an instance, and reports failed launches. The check comes first, while the device
/// is busy, so it costs no time.
inline void synchronise(const Exec& exec, const char* what) {
  check_launches(what);
  exec.fence();
}

// Kokkos' graphs. Before 4.5 the first submit instantiates them, and they run on the instance they were built
// with; from 5.1 they are built from a device handle.
using Graph = Kokkos::Experimental::Graph<Exec>;
using GraphNode = Kokkos::Experimental::GraphNodeRef<Exec>;

/// Builds a graph of the nodes that build(instance for node policies, root) adds.
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

/// A node that calls a functor once, without an index; needs Kokkos 4.6.
template <class Functor>
GraphNode then_task([[maybe_unused]] const GraphNode& node, [[maybe_unused]] const std::string& label,
                    [[maybe_unused]] const Functor& functor) {
#if KOKKOS_VERSION >= 40600
  return node.then(label, functor);
#else
  throw std::logic_error("this Kokkos has no 'then'");
#endif
}

/// A node that captures what launch(exec) launches on a GPU; needs Kokkos 4.7.
template <class Launch>
GraphNode then_captured([[maybe_unused]] const GraphNode& node, [[maybe_unused]] const Exec& exec,
                        [[maybe_unused]] const Launch& launch) {
#if KOKKOS_VERSION >= 40700 && defined(KOKKOS_ENABLE_CUDA)
  return node.cuda_capture(exec, launch);
#elif KOKKOS_VERSION >= 40700 && defined(KOKKOS_ENABLE_HIP)
  return node.hip_capture(exec, launch);
#else
  throw std::logic_error("this Kokkos captures no launches");
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

#if KOKKOS_VERSION < 30700
namespace Kokkos {
using Experimental::exp;
}
#endif
