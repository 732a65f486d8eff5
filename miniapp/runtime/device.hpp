// SPDX-License-Identifier: BSD-3-Clause
// Device queries for code that must not include CUDA. Without native CUDA they ask Kokkos' GPU, if any.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace parity::runtime {

/// Facts of the GPU in use.
struct Device {
  std::string name, uuid;
  int index = 0;  ///< device number of CUDA or HIP
  int major = 0, minor = 0, multiprocessors = 0, clock_khz = 0, memory_clock_khz = 0;
  std::int64_t memory_bytes = 0, l2_bytes = 0;
  bool ecc = false;
  int driver = 0, runtime = 0;
};

/// A GPU's UUID (16 bytes) as the driver's tools print it: "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f".
inline std::string uuid_text(const char* bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "GPU-";
  for (int k = 0; k < 16; ++k) {
    if (k == 4 || k == 6 || k == 8 || k == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[k]);
    text += digits[byte / 16];
    text += digits[byte % 16];
  }
  return text;
}

/// The current device, or nullopt with *why set if there is none or it cannot run this build.
std::optional<Device> device(std::string* why = nullptr);

/// GPUs that this process sees.
int device_count();

/// Makes this device the current one, before anything else uses it. Throws runtime::UsageError if the index
/// is out of range, runtime::CannotRunError if there is no device.
void use_device(int index);

/// Free bytes of the current device; 0 without one.
std::int64_t free_device_memory();

/// Bytes per second (read plus written) of a device-to-device copy of 'bytes' bytes; 0 without a device.
double device_copy_bandwidth(std::int64_t bytes);

// Kokkos' execution space in this build, for code that must not include Kokkos.

/// Initialises Kokkos and finalises it. Every View must be destroyed before.
class KokkosScope {
 public:
  KokkosScope();
  ~KokkosScope();
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};
/// True if Kokkos' default execution space is a GPU's.
bool portable_on_device();
/// Its name, as in "Cuda" or "OpenMP".
std::string portable_backend();
/// "4.6.1".
std::string kokkos_version();

}  // namespace parity::runtime
