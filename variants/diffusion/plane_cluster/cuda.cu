// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-plane-cluster: a plane in the registers of a cluster of blocks through all steps; 1 launch,
// more where not all planes fit the GPU at a time (plane_turns.hpp). Rows cross to the next block by
// asynchronous stores.
#include "plane_cluster.cuh"

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

Entry plane_cluster_cuda() {
  Entry e;
  e.tunings = {"2", "4", "8", "16"};
  e.tuning_axes = "blocks of a cluster, more where a plane needs them";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 2 && t[0] != 4 && t[0] != 8 && t[0] != 16) return "clusters have 2, 4, 8 or 16 blocks here";
    return p.precision == Precision::f32 ? cuda::why_not_in_cluster<float>(p, t[0])
                                         : cuda::why_not_in_cluster<double>(p, t[0]);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    const bool puts_off = p.precision == Precision::f32 ? cuda::puts_off_in_cluster<float>(p, t[0])
                                                        : cuda::puts_off_in_cluster<double>(p, t[0]);
    harness::CostModel m = cost_resident(p, 1, flops_by_pairs(p, puts_off));
    m.barriers = true;
    return m;
  };
  return with_factories<cuda::PlaneCluster>(e);
}

}  // namespace parity::diffusion
