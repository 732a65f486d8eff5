// SPDX-License-Identifier: BSD-3-Clause
// The only file that looks at KOKKOS_VERSION, and at which vendor's GPU Kokkos runs on. Supported: 3.4.01
// to 5.x.
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

/// Whether Kokkos' default execution space is a GPU's. Its memory does not tell: some GPUs share the host's.
constexpr bool exec_is_device() { return !std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>; }

// The vendor's runtime below Kokkos, for what Kokkos has no words for; host memory that a GPU reads and
// writes.
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

/// An execution space instance that shares no queue with others, as native variants have streams of their
/// own; the default one if that is wanted, and on a host.
class OwnInstance {
#if defined(PARITY_GPU) && KOKKOS_VERSION < 40000  // has no partition_space
 public:
  explicit OwnInstance(bool own = true) {
    if (!own) return;
    if (PARITY_GPU(StreamCreateWithFlags)(&stream_, PARITY_GPU(StreamNonBlocking)) != PARITY_GPU(Success))
      throw std::runtime_error("no stream can be made on the GPU");
    exec = Exec(stream_);
  }
  ~OwnInstance() {
    if (!stream_) return;
    exec = Exec();  // lets go of the stream first
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

/// The most threads of an MDRange's tile on a GPU: 5.2 ends a program that asks for more, 5.0 does not.
constexpr int most_tile_threads = KOKKOS_VERSION >= 50100 ? 512 : 1024;

/// Why this build has nothing that came with a version of Kokkos, such as 50000; nullopt if it has.
inline std::optional<std::string> why_not_before(int version, const std::string& what) {
  if (KOKKOS_VERSION >= version) return std::nullopt;
  return what + " came with Kokkos " + std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "; this build has " + kokkos_version();
}

/// A range of which each thread of a GPU takes so many indices, from Kokkos 5.0.
#if KOKKOS_VERSION >= 50000
template <unsigned batch>
using BatchedRange = Kokkos::RangePolicy<Exec, Kokkos::Experimental::StaticBatchSize<batch>>;
#else
template <unsigned>
using BatchedRange = Kokkos::RangePolicy<Exec>;
#endif

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
#ifdef PARITY_GPU
  return gpu_properties(exec).multiProcessorCount;
#else
  return 1;
#endif
}

/// Lanes that a GPU runs in step: 32, or 64 of some of AMD's; 1 on the host. Shuffles are among 32 at most.
inline int lanes_of_warp() {
  return exec_is_device() ? int(Kokkos::TeamPolicy<Exec>::vector_length_max()) : 1;
}

/// Bytes of shared memory that the teams of a GPU's multiprocessor have together; 0 on the host.
inline std::int64_t shared_memory_of_multiprocessor([[maybe_unused]] const Exec& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  return std::int64_t(gpu_properties(exec).sharedMemPerMultiprocessor);
#elif defined(KOKKOS_ENABLE_HIP)
  return std::int64_t(gpu_properties(exec).maxSharedMemoryPerMultiProcessor);
#else
  return 0;
#endif
}

/// Bytes of scratch that launches of teams of so many threads take, if scratch_size_max(0) is 'most': no more
/// from Kokkos 5.1 on. Before, that keeps room for reductions of 1024 threads, a launch for those of a team.
constexpr std::int64_t scratch_of_launch(std::int64_t most, int threads, int version = KOKKOS_VERSION) {
  return version >= 50100 ? most : most + 8 * (1024 - threads) - 64;
}

/// The CUDA stream of an instance for native CUDA, or null where there is none.
inline void* stream_of([[maybe_unused]] const Exec& exec) {
#if defined(KOKKOS_ENABLE_CUDA) && defined(PARITY_HAS_CUDA)
  return static_cast<void*>(exec.cuda_stream());
#else
  return nullptr;
#endif
}

/// Throws for a launch that failed, and clears the error. Kokkos itself asks in debug builds only: without
/// this the error would stay and be blamed on whoever asks the GPU next.
inline void check_launches([[maybe_unused]] const char* what) {
#ifdef PARITY_GPU
  const auto status = PARITY_GPU(GetLastError)();
  if (status != PARITY_GPU(Success))
    throw std::runtime_error(std::string(what) + ": a launch failed: " + PARITY_GPU(GetErrorString)(status));
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

/// A node that calls a functor without an index, once; from Kokkos 4.6.
template <class Functor>
GraphNode then_task([[maybe_unused]] const GraphNode& node, [[maybe_unused]] const std::string& label,
                    [[maybe_unused]] const Functor& functor) {
#if KOKKOS_VERSION >= 40600
  return node.then(label, functor);
#else
  throw std::logic_error("this Kokkos has no 'then'");
#endif
}

/// A node of what launch(exec) starts on a GPU; from Kokkos 4.7.
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
