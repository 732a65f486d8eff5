// SPDX-License-Identifier: BSD-3-Clause
// What Kokkos runs on in this build, for code that must not include Kokkos.
#pragma once
#include <string>

namespace parity::runtime {

/// Whether Kokkos' default execution space is a GPU's.
bool portable_on_device();
/// Its name, as in "Cuda" or "OpenMP".
std::string portable_backend();
/// "4.6.1".
std::string kokkos_version();

}  // namespace parity::runtime
