// SPDX-License-Identifier: BSD-3-Clause
// cuda-resident in float, rows x columns of a lane: 128 values a lane are half of its registers.
#include "resident_forms.cuh"

namespace parity::cuda {

template <>
struct ResidentForms<float> {
  using All =
      std::tuple<PlaneForm<float, 16, 8, 32, 256, true, true>, PlaneForm<float, 8, 16, 32, 256, true, true>,
                 PlaneForm<float, 4, 32, 32, 256, true, true>>;
};
template std::optional<std::string> why_not_resident<float>(const Problem&, int);
template bool puts_off_in_resident<float>(const Problem&, int);
template double resident_box_bytes<float>(const Problem&, int);
template StartPlanes<float> start_resident<float>(const Problem&, int);

}  // namespace parity::cuda
