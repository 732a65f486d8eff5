// SPDX-License-Identifier: BSD-3-Clause
// Planes in the registers of blocks all over the GPU: defined apart for float and double, because each takes
// minutes to compile.
#pragma once
#include "backend/cuda/diffusion/plane_launch.cuh"

namespace parity::cuda {

/// warps: of a block, at most 8.
template <class T>
std::optional<std::string> why_not_resident(const Problem& p, int warps);
/// Whether its kernel puts off a scale that can be put off; false for problems that are refused.
template <class T>
bool puts_off_in_resident(const Problem& p, int warps);
/// What its mailboxes take; 0 for problems that are refused.
template <class T>
double resident_box_bytes(const Problem& p, int warps);
/// For problems that are not refused.
template <class T>
StartPlanes<T> start_resident(const Problem& p, int warps);

}  // namespace parity::cuda
