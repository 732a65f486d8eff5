// SPDX-License-Identifier: BSD-3-Clause
// Replaces variants/backend/kokkos/runtime: the readers are built without Kokkos.
#include "runtime/device.hpp"
#include "runtime/stream.hpp"

namespace parity::runtime {

bool portable_on_device() { return false; }
std::string portable_backend() { return "none"; }
std::string kokkos_version() { return "none"; }
int device_count() { return 0; }
std::optional<Device> device(std::string* why) {
  if (why) *why = *why_no_cuda();
  return std::nullopt;
}
std::int64_t free_device_memory() { return 0; }
double device_copy_bandwidth(std::int64_t) { return 0; }

}  // namespace parity::runtime
