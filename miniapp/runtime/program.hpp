// SPDX-License-Identifier: BSD-3-Clause
// The program's name and build facts; each program defines them, libraries only declare them.
#pragma once
#include <string>

namespace parity::runtime {

struct BuildInfo {
  const char *program, *version, *commit;
  bool dirty;
  const char* changes;  ///< a hash of the differences from the commit
  const char *type, *cxx_compiler, *cxx_flags, *cuda_compiler, *cuda_architectures, *cupti, *mpi,
      *kokkos_devices, *kokkos_kernels_version;
};
/// Each program defines it (cmake/build_info.cmake).
const BuildInfo& build_info();

/// The text with this program's name in place of Parity's in "'parity list'".
inline std::string in_words_of_program(std::string text) {
  const std::string ours = "'parity ", own = "'" + std::string(build_info().program) + " ";
  for (std::size_t at = 0; (at = text.find(ours, at)) != std::string::npos; at += own.size())
    text.replace(at, ours.size(), own);
  return text;
}

}  // namespace parity::runtime
