// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-plane-cluster: each plane stays in the registers of a cluster of blocks for all steps, in
// one launch; rows cross to the next block by asynchronous stores.
#include "plane_cluster.cuh"
#include "runtime/error.hpp"

namespace parity::cuda {
namespace {

template <class T>
class PlaneCluster : public PlanesAtOnce<T> {
 public:
  PlaneCluster(const Problem& p, const Tuning& t) : PlanesAtOnce<T>(p, start_in_cluster<T>(p, t[0])) {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry cuda_plane_cluster() {
  Entry e;
  e.tunings = {"2", "4", "8", "16"};
  e.tuning_axes = "blocks of a cluster, more where a plane needs them";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 2 && t[0] != 4 && t[0] != 8 && t[0] != 16) return "clusters have 2, 4, 8 or 16 blocks here";
    return p.precision == Precision::f32 ? cuda::why_not_in_cluster<float>(p, t[0])
                                         : cuda::why_not_in_cluster<double>(p, t[0]);
  };
  e.model = [](const Problem& p) {
    harness::CostModel m = cost_resident(p, 1, pair_flops);
    m.barriers = true;
    return m;
  };
  return with_factories<cuda::PlaneCluster>(e);
}

}  // namespace parity::diffusion
