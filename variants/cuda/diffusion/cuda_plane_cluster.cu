// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-plane-cluster: a plane in the registers of a cluster of blocks through all steps; 1 launch,
// more where not all planes fit the GPU at a time (plane_turns.hpp). Rows cross to the next block by
// asynchronous stores.
#include <algorithm>

#include "plane_cluster.cuh"

namespace parity::diffusion {

Entry cuda_plane_cluster() {
  constexpr auto exchange = cuda::Exchange::asynchronous;
  Entry e = cuda::plane_cluster_entry<exchange>();
  e.planes_at_once = [](const Problem& p, const Tuning& t) -> std::int64_t {  // a multiprocessor each block
    const Turns turns = p.precision == Precision::f32
                            ? cuda::start_in_cluster<float, exchange>(p, t[0]).turns
                            : cuda::start_in_cluster<double, exchange>(p, t[0]).turns;
    return std::min<std::int64_t>(turns.at_once, cuda::attribute(cudaDevAttrMultiProcessorCount) / t[0]);
  };
  return e;
}

}  // namespace parity::diffusion
