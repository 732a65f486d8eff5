// SPDX-License-Identifier: BSD-3-Clause
// cuda-resident in double, rows x columns of a lane: 64 values a lane are half of its registers.
#include "resident_forms.cuh"

namespace parity::cuda {

template <>
struct ResidentForms<double> {
  using All =
      std::tuple<PlaneForm<double, 8, 8, 32, 256, true, true>, PlaneForm<double, 4, 16, 32, 256, true, true>>;
};
template std::optional<std::string> why_not_resident<double>(const Problem&, int);
template bool puts_off_in_resident<double>(const Problem&, int);
template double resident_box_bytes<double>(const Problem&, int);
template StartPlanes<double> start_resident<double>(const Problem&, int);

}  // namespace parity::cuda
