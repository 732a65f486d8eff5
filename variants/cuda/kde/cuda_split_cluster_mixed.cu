// SPDX-License-Identifier: BSD-3-Clause
// kde/cuda-split-cluster-mixed: cuda-split-cluster, one exponential in four by a polynomial, so that both
// kinds of unit work at once.
#include "split_cluster.cuh"

namespace parity::kde {

Entry cuda_split_cluster_mixed() {
  // A thread has one query, so that its pairs repeat after the four of a pack: the first of them is the
  // share.
  using Sum = cuda::SplitCluster<float, MixedTerm<1>>;
  Entry e = cuda::cluster_entry();
  e.operations = 10;
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (p.precision != harness::Precision::f32) return "only float";
    return Sum::why_not(p, t);
  };
  e.make_f32 = cuda::make_sum<float, Sum>;
  return e;
}

}  // namespace parity::kde
