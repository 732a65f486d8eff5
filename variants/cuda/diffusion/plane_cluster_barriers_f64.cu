// SPDX-License-Identifier: BSD-3-Clause
// Exchange::barriers in double: the forms of the smaller planes, which are enough to compare.
#include "plane_cluster_forms.cuh"

namespace parity::cuda {

using Forms = std::tuple<PlaneForm<double, 8, 4, 32, 256, true, Exchange::barriers>>;

template <>
std::optional<std::string> why_not_in_cluster<double, Exchange::barriers>(const Problem& p, int blocks) {
  return why_not_in_cluster_of<Forms, double>(p, blocks);
}
template <>
bool puts_off_in_cluster<double, Exchange::barriers>(const Problem& p, int blocks) {
  return puts_off_in_cluster_of<Forms, double>(p, blocks);
}
template <>
StartPlanes<double> start_in_cluster<double, Exchange::barriers>(const Problem& p, int blocks) {
  return start_in_cluster_of<Forms, double>(p, blocks);
}

}  // namespace parity::cuda
