// SPDX-License-Identifier: BSD-3-Clause
// The stand-ins for device.cu, stream.cu, memory.cu, hold.cu, graph.cu,
// relocatable/loop_graph.cu, sort.cu and fft.cu in a build without
// CUDA.
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "runtime/clock.hpp"
#include "runtime/device.hpp"
#include "runtime/device_memory.hpp"
#include "runtime/error.hpp"
#include "runtime/fft.hpp"
#include "runtime/graph.hpp"
#include "runtime/hold.hpp"
#include "runtime/plane_copy.hpp"
#include "runtime/sort.hpp"
#include "runtime/staging_memory.hpp"
#include "runtime/stream.hpp"
#include "runtime/stream_wait.hpp"

namespace parity::runtime {

std::optional<Device> device(std::string* why) {
  if (why) *why = "built without CUDA (configure with -DPARITY_ENABLE_CUDA=ON)";
  return std::nullopt;
}
int device_count() { return 0; }
void use_device(int) {
  std::string why;
  device(&why);
  throw CannotRunError("--device: no GPU can be used: " + why);
}
std::int64_t free_device_memory() { return 0; }
std::unique_ptr<DeviceClock> make_clock(void*) { throw std::logic_error("no CUDA in this build"); }
double device_copy_bandwidth(std::int64_t) { return 0; }

Stream::Stream(bool wanted) {
  if (wanted) throw std::logic_error("no CUDA in this build");
}
Stream::~Stream() = default;
void wait_for_stream(void*) {}
void let_stream_wait(void*, void*) {}
DeviceMemory::DeviceMemory(std::int64_t) { throw std::logic_error("no CUDA in this build"); }
DeviceMemory::~DeviceMemory() = default;
void DeviceMemory::write(const void*, std::int64_t) {}
void DeviceMemory::read(void*, std::int64_t) const {}

StagingMemory::StagingMemory(std::size_t bytes, bool) : data_(std::malloc(bytes)), locked_(false) {
  if (!data_) throw std::bad_alloc();
}
StagingMemory::~StagingMemory() { std::free(data_); }
void copy_planes(const Planes& from, const Planes& to, std::int64_t row_bytes, std::int64_t rows,
                 std::int64_t planes, void*) {
  const auto row = [](const Planes& p, std::int64_t k, std::int64_t j) {
    return static_cast<char*>(p.first) + (k * p.plane_rows + j) * p.pitch_bytes;
  };
  for (std::int64_t k = 0; k < planes; ++k)
    for (std::int64_t j = 0; j < rows; ++j)
      std::memcpy(row(to, k, j), row(from, k, j), std::size_t(row_bytes));
}

class Hold::Latch {};
Hold::Hold(void*, double) { throw std::logic_error("no CUDA in this build"); }
Hold::~Hold() = default;
void Hold::release() {}

std::unique_ptr<Graph> capture(void*, const std::function<void()>&) {
  throw std::logic_error("no CUDA in this build");
}
std::unique_ptr<Graph> capture_loop(void*, std::int64_t, const std::function<void()>&,
                                    const std::function<void()>&) {
  throw std::logic_error("no CUDA in this build");
}
std::optional<std::string> why_no_loops() {
  std::string why;
  device(&why);
  return why;
}

void sort_with_places(const float*, float*, int*, std::int64_t, void*) {
  throw std::logic_error("no CUDA in this build");
}
void sort_with_places(const double*, double*, int*, std::int64_t, void*) {
  throw std::logic_error("no CUDA in this build");
}
std::string why_no_fft() {
  std::string why;
  device(&why);
  return why;
}
void convolve(double*, std::int64_t, double, void*) { throw std::logic_error("no CUDA in this build"); }

}  // namespace parity::runtime
