// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <string>

namespace parity {

/// Source texts of the variants as built, by path: "diffusion/fused/kokkos.cpp".
const std::map<std::string, const char*>& variant_sources();

}  // namespace parity
