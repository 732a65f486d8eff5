// SPDX-License-Identifier: BSD-3-Clause
// The two floating-point types of all computations.
#pragma once
#include <cstddef>

namespace parity::runtime {

enum class Precision { f32, f64 };

inline const char* name(Precision p) { return p == Precision::f32 ? "float" : "double"; }
inline std::size_t bytes_of(Precision p) { return p == Precision::f32 ? 4 : 8; }

}  // namespace parity::runtime
