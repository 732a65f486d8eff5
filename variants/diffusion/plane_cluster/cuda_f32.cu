// SPDX-License-Identifier: BSD-3-Clause
// cuda-plane-cluster in float, rows x columns of a lane: 128 values a lane are half of its registers.
// Nine rows take what is a little too large for eight, such as 129 rows.
#include "plane_cluster_forms.cuh"

namespace parity::cuda {

template <>
struct ClusterForms<float> {
  using All = std::tuple<PlaneForm<float, 8, 4, 32, 256, false>, PlaneForm<float, 16, 4, 32, 256>,
                         PlaneForm<float, 16, 8, 32, 256>, PlaneForm<float, 4, 16, 32, 256>,
                         PlaneForm<float, 8, 16, 32, 256>, PlaneForm<float, 8, 8, 32, 256>,
                         PlaneForm<float, 9, 4, 32, 256, false>, PlaneForm<float, 9, 8, 32, 256>>;
};
template std::optional<std::string> why_not_in_cluster<float>(const Problem&, int);
template bool puts_off_in_cluster<float>(const Problem&, int);
template StartPlanes<float> start_in_cluster<float>(const Problem&, int);

}  // namespace parity::cuda
