// SPDX-License-Identifier: BSD-3-Clause
// Launches in clusters of blocks, and how many clusters a GPU holds; CUDA 11.8 or newer.
#pragma once
#include <cuda_runtime.h>

#include "check.cuh"

#define PARITY_HAS_CLUSTERS (CUDART_VERSION >= 11080)

#if PARITY_HAS_CLUSTERS
namespace parity::cuda {

/// A launch whose blocks are in clusters of 'cluster' each.
struct ClusterLaunch {
  cudaLaunchAttribute size{};
  cudaLaunchConfig_t config{};
  ClusterLaunch(dim3 grid, unsigned threads, dim3 cluster, int shared_bytes = 0,
                cudaStream_t stream = nullptr) {
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = cluster.x;
    size.val.clusterDim.y = cluster.y;
    size.val.clusterDim.z = cluster.z;
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = std::size_t(shared_bytes);
    config.stream = stream;
    config.attrs = &size;
    config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;
};

/// Lets a kernel run in clusters of more than eight blocks, where a device has them.
inline void allow_large_clusters(const void* kernel) {
  PARITY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

/// How many of its clusters this GPU holds at a time; 0 where it knows none of that size. The kernel must
/// have its attributes.
inline int clusters_resident(const void* kernel, const ClusterLaunch& launch) {
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return clusters;
}

}  // namespace parity::cuda
#endif
