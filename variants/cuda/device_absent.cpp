// SPDX-License-Identifier: BSD-3-Clause
// The stand-in for device.cu in a build without CUDA.
#include <stdexcept>

#include "cuda/device.hpp"

namespace parity::cuda {

std::optional<Device> device(std::string* why) {
  if (why) *why = "built without CUDA (configure with -DPARITY_ENABLE_CUDA=ON)";
  return std::nullopt;
}
std::int64_t free_memory() { return 0; }
std::unique_ptr<study::DeviceClock> make_clock(void*) { throw std::logic_error("no CUDA in this build"); }
double copy_bandwidth(std::int64_t) { return 0; }

}  // namespace parity::cuda
