// SPDX-License-Identifier: BSD-3-Clause
// cuda-plane-cluster in double, rows x columns of a lane: 64 values a lane are half of its registers.
// Nine rows take what is a little too large for eight, such as 129 rows.
#include "plane_cluster_forms.cuh"

namespace parity::cuda {

template <>
struct ClusterForms<double> {
  using All = std::tuple<PlaneForm<double, 8, 4, 32, 256>, PlaneForm<double, 4, 8, 32, 256>,
                         PlaneForm<double, 8, 8, 32, 256>, PlaneForm<double, 9, 4, 32, 256>,
                         PlaneForm<double, 9, 8, 32, 256>>;
};
template std::optional<std::string> why_not_in_cluster<double>(const Problem&, int);
template bool puts_off_in_cluster<double>(const Problem&, int);
template StartPlanes<double> start_in_cluster<double>(const Problem&, int);

}  // namespace parity::cuda
