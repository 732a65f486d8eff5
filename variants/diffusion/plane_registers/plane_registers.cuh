// SPDX-License-Identifier: BSD-3-Clause
// A plane in the registers of one block: defined apart for float and double, because each takes minutes to
// compile.
#pragma once
#include "backend/cuda/diffusion/plane_launch.cuh"

namespace parity::cuda {

template <class T>
std::optional<std::string> why_not_in_registers(const Problem& p);
/// Whether the form of the plane puts off a scale that can be put off.
template <class T>
bool puts_off_in_registers(const Problem& p);
/// For problems that are not refused.
template <class T>
StartPlanes<T> start_in_registers(const Problem& p);

}  // namespace parity::cuda
