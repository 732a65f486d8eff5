// SPDX-License-Identifier: BSD-3-Clause
// cuda-resident in double, rows x columns of a lane: 64 values a lane are half of its registers.
#include "resident_forms.cuh"

namespace parity::cuda {

using ResidentF64 = std::tuple<PlaneForm<double, 8, 8, 32, 256, true, Exchange::memory>,
                               PlaneForm<double, 4, 16, 32, 256, true, Exchange::memory>>;

template <>
std::optional<std::string> why_not_resident<double>(const Problem& p, int warps) {
  return why_not_resident_of<ResidentF64, double>(p, warps);
}
template <>
bool puts_off_in_resident<double>(const Problem& p, int warps) {
  return puts_off_in_resident_of<ResidentF64, double>(p, warps);
}
template <>
int resident_at_once<double>(const Problem& p, int warps) {
  return resident_at_once_of<ResidentF64, double>(p, warps);
}
template <>
double resident_box_bytes<double>(const Problem& p, int warps) {
  return resident_box_bytes_of<ResidentF64, double>(p, warps);
}
template <>
StartPlanes<double> start_resident<double>(const Problem& p, int warps) {
  return start_resident_of<ResidentF64, double>(p, warps);
}

}  // namespace parity::cuda
