// SPDX-License-Identifier: BSD-3-Clause
// A plane in the registers of a cluster of blocks: defined apart for float and double, because each takes
// minutes to compile.
#pragma once
#include "backend/cuda/diffusion/plane_launch.cuh"

namespace parity::cuda {

/// blocks: of a cluster, at least.
template <class T>
std::optional<std::string> why_not_in_cluster(const Problem& p, int blocks);
/// Whether the form of the plane puts off a scale that can be put off.
template <class T>
bool puts_off_in_cluster(const Problem& p, int blocks);
/// For problems that are not refused.
template <class T>
StartPlanes<T> start_in_cluster(const Problem& p, int blocks);

}  // namespace parity::cuda
