// SPDX-License-Identifier: BSD-3-Clause
// cuda-plane-registers in double.
#include "plane_registers_forms.cuh"

namespace parity::cuda {

template std::optional<std::string> why_not_in_registers<double>(const Problem&);
template bool puts_off_in_registers<double>(const Problem&);
template StartPlanes<double> start_in_registers<double>(const Problem&);

}  // namespace parity::cuda
