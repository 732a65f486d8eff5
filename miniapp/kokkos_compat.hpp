// SPDX-License-Identifier: BSD-3-Clause
// The only file that looks at KOKKOS_VERSION. Supported: 3.4.01 to 5.x.
#pragma once
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <string>

namespace parity::compat {

#if KOKKOS_VERSION < 30400
#error "Parity needs Kokkos 3.4.01 or newer"
#endif

/// Initialises Kokkos for its lifetime. Every View must be gone before it ends.
class KokkosScope {
 public:
  KokkosScope() {
#if KOKKOS_VERSION >= 30700
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
    Kokkos::InitArguments arguments;
    arguments.disable_warnings = true;
    Kokkos::initialize(arguments);
#endif
  }
  ~KokkosScope() { Kokkos::finalize(); }
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

using Exec = Kokkos::DefaultExecutionSpace;

/// Whether Kokkos' default execution space has a memory of its own (a GPU).
constexpr bool exec_is_device() {
  return !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
}

inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

/// The stream behind the default execution space instance, or null on the host.
inline void* default_stream() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return static_cast<void*>(Kokkos::Cuda().cuda_stream());
#endif
  return nullptr;
}

}  // namespace parity::compat
