// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <string>

namespace parity {

/// The sources of the variants as they were built, by path: "diffusion/fused/kokkos.cpp".
const std::map<std::string, const char*>& variant_sources();

}  // namespace parity
