// SPDX-License-Identifier: BSD-3-Clause
// The stand-ins for device.cu, stream.cu, memory.cu, hold.cu, graph.cu, sort.cu and fft.cu in a build without
// CUDA.
#include <stdexcept>

#include "cuda/device.hpp"
#include "cuda/fft.hpp"
#include "cuda/graph.hpp"
#include "cuda/hold.hpp"
#include "cuda/memory.hpp"
#include "cuda/sort.hpp"
#include "cuda/stream.hpp"

namespace parity::cuda {

std::optional<Device> device(std::string* why) {
  if (why) *why = "built without CUDA (configure with -DPARITY_ENABLE_CUDA=ON)";
  return std::nullopt;
}
std::int64_t free_memory() { return 0; }
std::unique_ptr<study::DeviceClock> make_clock(void*) { throw std::logic_error("no CUDA in this build"); }
double copy_bandwidth(std::int64_t) { return 0; }

Stream::Stream(bool wanted) {
  if (wanted) throw std::logic_error("no CUDA in this build");
}
Stream::~Stream() = default;
Memory::Memory(std::int64_t) { throw std::logic_error("no CUDA in this build"); }
Memory::~Memory() = default;
void Memory::write(const void*, std::int64_t) {}
void Memory::read(void*, std::int64_t) const {}

Hold::Hold(void* stream, double) : stream_(stream) { throw std::logic_error("no CUDA in this build"); }
Hold::~Hold() = default;
void Hold::release() {}

std::unique_ptr<study::Recording> capture(void*, const std::function<void()>&) {
  throw std::logic_error("no CUDA in this build");
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

}  // namespace parity::cuda
