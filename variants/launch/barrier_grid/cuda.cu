// SPDX-License-Identifier: BSD-3-Clause
// launch/cuda-barrier-grid: cooperative groups' barrier of a grid.
#include <cooperative_groups.h>

#include "backend/cuda/launch/barrier.cuh"

namespace parity::launch {
namespace {
struct GridSync {
  static __device__ void pass(unsigned, unsigned*) { cooperative_groups::this_grid().sync(); }
};
}  // namespace

Entry barrier_grid_cuda() { return grid_barrier<GridSync>(); }

}  // namespace parity::launch
