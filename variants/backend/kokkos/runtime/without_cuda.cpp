// SPDX-License-Identifier: BSD-3-Clause
// Replaces device.cu, memory.cu and stream.cu in a build without native CUDA, by Kokkos and the GPU runtime
// that it uses. If Kokkos runs on the host, there is no GPU.
#ifndef PARITY_HAS_CUDA
#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "kokkos_compat.hpp"
#include "runtime/clock.hpp"
#include "runtime/device.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/error.hpp"
#include "runtime/stream.hpp"

namespace parity::runtime {
namespace {

template <class T, class Space>
using Values = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Memory = compat::Exec::memory_space;

}  // namespace

int device_count() {
  int count = 0;
#ifdef PARITY_GPU
  if (PARITY_GPU(GetDeviceCount)(&count) != PARITY_GPU(Success)) count = 0;
  (void)PARITY_GPU(GetLastError)();
#endif
  return count;
}

std::optional<Device> device(std::string* why) {
#ifdef PARITY_GPU
  Device d;
  std::decay_t<decltype(compat::gpu_properties(compat::Exec()))> properties{};
  if (device_count() == 0 || PARITY_GPU(GetDevice)(&d.index) != PARITY_GPU(Success) ||
      PARITY_GPU(GetDeviceProperties)(&properties, d.index) != PARITY_GPU(Success)) {
    (void)PARITY_GPU(GetLastError)();
    if (why) *why = "no usable GPU on this machine";
    return std::nullopt;
  }
  d.name = properties.name;
  d.multiprocessors = properties.multiProcessorCount;
  d.memory_bytes = std::int64_t(properties.totalGlobalMem);
  d.l2_bytes = properties.l2CacheSize;
  d.ecc = properties.ECCEnabled != 0;
#if defined(KOKKOS_ENABLE_CUDA)
  d.uuid = uuid_text(properties.uuid.bytes);
  d.major = properties.major;  // CUDA's compute capability; stays 0 for other vendors
  d.minor = properties.minor;
  (void)cudaDeviceGetAttribute(&d.clock_khz, cudaDevAttrClockRate, d.index);
  (void)cudaDeviceGetAttribute(&d.memory_clock_khz, cudaDevAttrMemoryClockRate, d.index);
#else
  (void)hipDeviceGetAttribute(&d.clock_khz, hipDeviceAttributeClockRate, d.index);
  (void)hipDeviceGetAttribute(&d.memory_clock_khz, hipDeviceAttributeMemoryClockRate, d.index);
#endif
  (void)PARITY_GPU(DriverGetVersion)(&d.driver);
  (void)PARITY_GPU(RuntimeGetVersion)(&d.runtime);
  return d;
#else
  if (why) *why = *why_no_cuda();
  return std::nullopt;
#endif
}

void use_device([[maybe_unused]] int index) {
  std::string why;
  if (!device(&why)) throw CannotRunError("--device: no GPU can be used: " + why);
  if (index >= device_count())
    throw UsageError("--device is " + std::to_string(index) + ": give a whole number from 0 to " +
                     std::to_string(device_count() - 1));
#ifdef PARITY_GPU
  (void)PARITY_GPU(SetDevice)(index);
#endif
}

std::int64_t free_device_memory() {
  std::size_t free = 0;
#ifdef PARITY_GPU
  std::size_t total = 0;
  if (PARITY_GPU(MemGetInfo)(&free, &total) != PARITY_GPU(Success)) free = 0;
#endif
  return std::int64_t(free);
}

double device_copy_bandwidth(std::int64_t bytes) {
  if (!compat::exec_is_device() || bytes <= 0) return 0;
  const compat::Exec exec;
  const Kokkos::View<char*, Memory> from("from", std::size_t(bytes)), to("to", std::size_t(bytes));
  // Times many copies together, so that the launch of a small copy does not count.
  const int copies = int(std::clamp<std::int64_t>((std::int64_t(1) << 30) / bytes, 4, 256));
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 9; ++repeat) {
    exec.fence();
    const double start = host_seconds();
    for (int c = 0; c < copies; ++c) Kokkos::deep_copy(exec, to, from);
    exec.fence();
    seconds.push_back(host_seconds_since(start) / copies);
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return 2.0 * double(bytes) / seconds[4];
}

void let_stream_wait(void*, void*) {
  if (compat::exec_is_device()) Kokkos::fence();
}

DeviceMemory::DeviceMemory(std::int64_t bytes) : data_(Kokkos::kokkos_malloc<Memory>(std::size_t(bytes))) {}
DeviceMemory::~DeviceMemory() { Kokkos::kokkos_free<Memory>(data_); }
void DeviceMemory::write(const void* from, std::int64_t bytes) {
  Kokkos::deep_copy(
      Values<char, Memory>(static_cast<char*>(data_), std::size_t(bytes)),
      Values<const char, Kokkos::HostSpace>(static_cast<const char*>(from), std::size_t(bytes)));
}
void DeviceMemory::read(void* to, std::int64_t bytes) const {
  Kokkos::deep_copy(Values<char, Kokkos::HostSpace>(static_cast<char*>(to), std::size_t(bytes)),
                    Values<const char, Memory>(static_cast<const char*>(data_), std::size_t(bytes)));
}

StagingMemory::StagingMemory(std::size_t bytes, bool for_device)
    : locked_(for_device && compat::exec_is_device()) {
  data_ = locked_ ? Kokkos::kokkos_malloc<compat::HostPinned>(bytes) : std::malloc(bytes);
  if (!data_) throw std::bad_alloc();
}
StagingMemory::~StagingMemory() {
  if (locked_)
    Kokkos::kokkos_free<compat::HostPinned>(data_);
  else
    std::free(data_);
}

// A kernel copies, because it can access both the GPU's memory and StagingMemory, in either direction.
void copy_planes(const Planes& from, const Planes& to, std::int64_t row_bytes, std::int64_t rows,
                 std::int64_t planes, void*) {
  const auto* const source = static_cast<const std::uint32_t*>(from.first);
  auto* const target = static_cast<std::uint32_t*>(to.first);
  const std::int64_t words = row_bytes / 4, from_pitch = from.pitch_bytes / 4, to_pitch = to.pitch_bytes / 4,
                     from_rows = from.plane_rows, to_rows = to.plane_rows;
  Kokkos::parallel_for(
      "parity::copy_planes",
      Kokkos::RangePolicy<compat::Exec, Kokkos::IndexType<std::int64_t>>(0, planes * rows * words),
      KOKKOS_LAMBDA(std::int64_t n) {
        const std::int64_t row = n / words, k = row / rows, j = row - k * rows, i = n - row * words;
        target[(k * to_rows + j) * to_pitch + i] = source[(k * from_rows + j) * from_pitch + i];
      });
  Kokkos::fence();
}

}  // namespace parity::runtime
#endif
