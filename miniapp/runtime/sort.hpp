// SPDX-License-Identifier: BSD-3-Clause
// Sorting on the device, for code that must not include CUDA.
#pragma once
#include <cstdint>

namespace parity::runtime {

/// Ascending copies of n device values with the index each came from, on 'stream' (a cudaStream_t). Throws
/// without CUDA.
void sort_with_places(const float* values, float* sorted, int* places, std::int64_t n, void* stream);
void sort_with_places(const double* values, double* sorted, int* places, std::int64_t n, void* stream);

}  // namespace parity::runtime
