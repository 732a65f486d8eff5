// SPDX-License-Identifier: BSD-3-Clause
// cuda-resident in float, rows x columns of a lane: 128 values a lane are half of its registers.
#include "resident_forms.cuh"

namespace parity::cuda {

using ResidentF32 = std::tuple<PlaneForm<float, 16, 8, 32, 256, true, Exchange::memory>,
                               PlaneForm<float, 8, 16, 32, 256, true, Exchange::memory>,
                               PlaneForm<float, 4, 32, 32, 256, true, Exchange::memory>>;

template <>
std::optional<std::string> why_not_resident<float>(const Problem& p, int warps) {
  return why_not_resident_of<ResidentF32, float>(p, warps);
}
template <>
bool puts_off_in_resident<float>(const Problem& p, int warps) {
  return puts_off_in_resident_of<ResidentF32, float>(p, warps);
}
template <>
int resident_at_once<float>(const Problem& p, int warps) {
  return resident_at_once_of<ResidentF32, float>(p, warps);
}
template <>
double resident_box_bytes<float>(const Problem& p, int warps) {
  return resident_box_bytes_of<ResidentF32, float>(p, warps);
}
template <>
StartPlanes<float> start_resident<float>(const Problem& p, int warps) {
  return start_resident_of<ResidentF32, float>(p, warps);
}

}  // namespace parity::cuda
