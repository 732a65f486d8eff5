// SPDX-License-Identifier: BSD-3-Clause
// Grids whose blocks form clusters of eight.
#pragma once
#include "backend/cuda/architecture.cuh"
#include "backend/cuda/cluster.cuh"
#include "backend/cuda/launch/call.cuh"

namespace parity::launch {

constexpr int cluster_blocks = 8;  ///< the most that every device with clusters has
constexpr const char* no_clusters_in_this_build = "clusters need CUDA 11.8 or newer";

/// Why a kernel cannot run in clusters here, with so many blocks.
template <class Kernel>
std::optional<std::string> why_not_in_clusters(Kernel* kernel, const Problem& p) {
  if (const auto why = cuda::why_not_sm_90(kernel, "clusters")) return why;
  if (p.blocks % cluster_blocks != 0) return "clusters have 8 blocks; give --blocks a multiple of 8";
  return std::nullopt;
}

}  // namespace parity::launch
