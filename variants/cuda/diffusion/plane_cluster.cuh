// SPDX-License-Identifier: BSD-3-Clause
// A plane in the registers of a cluster of blocks: defined apart for float and double, because each takes
// minutes to compile.
#pragma once
#include "plane_launch.cuh"

namespace parity::cuda {

/// blocks: of a cluster, at least.
template <class T, Exchange exchange>
std::optional<std::string> why_not_in_cluster(const Problem& p, int blocks);
/// Whether the form of the plane puts off a scale that can be put off.
template <class T, Exchange exchange>
bool puts_off_in_cluster(const Problem& p, int blocks);
/// For problems that are not refused.
template <class T, Exchange exchange>
StartPlanes<T> start_in_cluster(const Problem& p, int blocks);

template <Exchange exchange>
struct PlaneCluster {
  template <class T>
  class Of : public PlanesAtOnce<T> {
   public:
    Of(const Problem& p, const Tuning& t) : PlanesAtOnce<T>(p, start_in_cluster<T, exchange>(p, t[0])) {}
  };
};

/// The entry of a variant that exchanges rows so.
template <Exchange exchange>
Entry plane_cluster_entry() {
  Entry e;
  e.tunings = {"2", "4", "8", "16"};
  e.tuning_axes = "blocks of a cluster, more where a plane needs them";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 2 && t[0] != 4 && t[0] != 8 && t[0] != 16) return "clusters have 2, 4, 8 or 16 blocks here";
    return p.precision == Precision::f32 ? why_not_in_cluster<float, exchange>(p, t[0])
                                         : why_not_in_cluster<double, exchange>(p, t[0]);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    const bool puts_off = p.precision == Precision::f32 ? puts_off_in_cluster<float, exchange>(p, t[0])
                                                        : puts_off_in_cluster<double, exchange>(p, t[0]);
    harness::CostModel m = cost_resident(p, 1, flops_by_pairs(p, puts_off));
    m.barriers = true;
    return m;
  };
  if (exchange == Exchange::barriers)
    e.not_chosen = "it is cuda-plane-cluster with slower barriers, to be compared with it";
  return with_factories<PlaneCluster<exchange>::template Of>(e);
}

}  // namespace parity::cuda
