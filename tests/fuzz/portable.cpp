// SPDX-License-Identifier: BSD-3-Clause
// The stand-in for runtime/kokkos/portable.cpp: the readers are built without Kokkos.
#include "runtime/device.hpp"

namespace parity::runtime {

bool portable_on_device() { return false; }
std::string portable_backend() { return "none"; }
std::string kokkos_version() { return "none"; }

}  // namespace parity::runtime
