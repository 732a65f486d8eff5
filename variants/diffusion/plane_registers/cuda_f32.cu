// SPDX-License-Identifier: BSD-3-Clause
// cuda-plane-registers in float.
#include "plane_registers_forms.cuh"

namespace parity::cuda {

template std::optional<std::string> why_not_in_registers<float>(const Problem&);
template bool puts_off_in_registers<float>(const Problem&);
template StartPlanes<float> start_in_registers<float>(const Problem&);

}  // namespace parity::cuda
