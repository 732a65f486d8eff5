// SPDX-License-Identifier: BSD-3-Clause
// Launches in clusters of blocks, and the number of resident clusters; CUDA 11.8 or newer.
#pragma once
#include <cuda_runtime.h>

#include "check.cuh"

#define PARITY_HAS_CLUSTERS (CUDART_VERSION >= 11080)

#if PARITY_HAS_CLUSTERS
namespace parity::cuda {

/// A launch whose blocks form clusters of 'cluster' blocks.
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

/// Allows a kernel clusters of more than eight blocks, if the device supports them.
inline void allow_large_clusters(const void* kernel) {
  PARITY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

/// Number of the kernel's clusters that are resident on this GPU at a time; 0 if it does not support this
/// size. Set the kernel's attributes first.
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
