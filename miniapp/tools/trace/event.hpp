// SPDX-License-Identifier: BSD-3-Clause
// Events of a traced program, and their names in a trace. A trace is a Chrome trace with the categories and
// arguments of PyTorch's profiler, so that one reader serves both.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace parity::trace {

enum class Kind : std::uint8_t {
  loop,          ///< Kokkos::parallel_for
  reduction,     ///< Kokkos::parallel_reduce
  scan,          ///< Kokkos::parallel_scan
  fence,         ///< Kokkos::fence and the fences that Kokkos inserts
  deep_copy,     ///< Kokkos::deep_copy
  region,        ///< Kokkos' profiling regions
  launch,        ///< a call that launches a kernel
  graph_launch,  ///< a call that launches a graph
  copy_call,     ///< a call that copies memory
  set_call,      ///< a call that fills memory
  wait,          ///< a call that waits for the device
  kernel,        ///< the device: a kernel
  copy,          ///< the device: a copy
  set,           ///< the device: a fill
  graph,         ///< the device: a whole graph
  none           ///< not used for advice
};
constexpr const char* words_of_kinds[] = {"for",    "reduce", "scan",         "fence",     "deep_copy",
                                          "region", "launch", "graph_launch", "copy_call", "set_call",
                                          "wait",   "kernel", "copy",         "set",       "graph"};

/// Categories that determine the kind by themselves, in the order of the kinds.
struct Category {
  const char* name;
  Kind kind;
};
constexpr Category categories[] = {{"kokkos_for", Kind::loop},
                                   {"kokkos_reduce", Kind::reduction},
                                   {"kokkos_scan", Kind::scan},
                                   {"kokkos_fence", Kind::fence},
                                   {"kokkos_deep_copy", Kind::deep_copy},
                                   {"kokkos_region", Kind::region},
                                   {"kernel", Kind::kernel},
                                   {"gpu_memcpy", Kind::copy},
                                   {"gpu_memset", Kind::set},
                                   {"Kernel", Kind::kernel},  // the last three: PyTorch before 1.12
                                   {"Memcpy", Kind::copy},
                                   {"Memset", Kind::set},
                                   {"cuda_graph", Kind::graph}};

/// Kind of a call of CUDA's runtime ("cudaLaunchKernel_v7000") or driver ("cuLaunchKernel"), or of HIP, by
/// the first matching prefix. Polling calls have no kind.
inline Kind kind_of_call(std::string_view name) {
  constexpr Category prefixes[] = {{"LaunchHostFunc", Kind::none},    {"Launch", Kind::launch},
                                   {"ModuleLaunch", Kind::launch},    {"ExtModuleLaunch", Kind::launch},
                                   {"ExtLaunch", Kind::launch},       {"GraphLaunch", Kind::graph_launch},
                                   {"Memcpy", Kind::copy_call},       {"Memset", Kind::set_call},
                                   {"StreamSynchronize", Kind::wait}, {"DeviceSynchronize", Kind::wait},
                                   {"ThreadSynchronize", Kind::wait}, {"CtxSynchronize", Kind::wait},
                                   {"EventSynchronize", Kind::wait}};
  while (!name.empty() && name.front() == '_') name.remove_prefix(1);  // <<<>>> since CUDA 13
  if (name.substr(0, 4) == "cuda")
    name.remove_prefix(4);
  else if (name.substr(0, 3) == "hip")
    name.remove_prefix(3);
  else if (name.substr(0, 2) == "cu")
    name.remove_prefix(2);
  for (const Category& p : prefixes)
    if (name.substr(0, std::strlen(p.name)) == p.name) return p.kind;
  return Kind::none;
}

}  // namespace parity::trace
