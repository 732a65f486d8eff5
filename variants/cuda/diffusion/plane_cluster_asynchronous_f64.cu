// SPDX-License-Identifier: BSD-3-Clause
// Exchange::asynchronous in double, rows x columns of a lane: 64 values a lane are half of its registers.
// Nine rows take what is a little too large for eight, such as 129 rows.
#include "plane_cluster_forms.cuh"

namespace parity::cuda {

using Forms = std::tuple<PlaneForm<double, 8, 4, 32, 256>, PlaneForm<double, 4, 8, 32, 256>,
                         PlaneForm<double, 8, 8, 32, 256>, PlaneForm<double, 9, 4, 32, 256>,
                         PlaneForm<double, 9, 8, 32, 256>>;

template <>
std::optional<std::string> why_not_in_cluster<double, Exchange::asynchronous>(const Problem& p, int blocks) {
  return why_not_in_cluster_of<Forms, double>(p, blocks);
}
template <>
bool puts_off_in_cluster<double, Exchange::asynchronous>(const Problem& p, int blocks) {
  return puts_off_in_cluster_of<Forms, double>(p, blocks);
}
template <>
StartPlanes<double> start_in_cluster<double, Exchange::asynchronous>(const Problem& p, int blocks) {
  return start_in_cluster_of<Forms, double>(p, blocks);
}

}  // namespace parity::cuda
