// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-grid-sync: cooperative groups' barrier of a grid.
#include <cooperative_groups.h>

#include "barrier.cuh"

namespace parity::launch {
namespace {
struct GridSync {
  static __device__ void pass(unsigned, unsigned*) { cooperative_groups::this_grid().sync(); }
};
}  // namespace

Entry cuda_grid_sync() { return grid_barrier<GridSync>(); }

}  // namespace parity::launch
