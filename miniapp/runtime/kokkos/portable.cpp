// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device.hpp"

#include "kokkos_compat.hpp"

namespace parity::runtime {

KokkosScope::KokkosScope() { compat::start_kokkos(); }
KokkosScope::~KokkosScope() { Kokkos::finalize(); }
bool portable_on_device() { return compat::exec_is_device(); }
std::string portable_backend() { return compat::Exec::name(); }
std::string kokkos_version() { return compat::kokkos_version(); }

}  // namespace parity::runtime
