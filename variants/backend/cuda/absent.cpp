// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins in a build without CUDA for stream.cu, hold.cu, graph.cu, peer.cu, fft.cu,
// relocatable/loop_graph.cu and the clock of device.cu. Kokkos' replacements for the rest are in
// backend/kokkos/runtime/without_cuda.cpp.
#include <stdexcept>

#include "runtime/clock.hpp"
#include "runtime/fft.hpp"
#include "runtime/graph.hpp"
#include "runtime/hold.hpp"
#include "runtime/peer.hpp"
#include "runtime/stream.hpp"

namespace parity::runtime {

std::unique_ptr<DeviceClock> make_clock(void*) { throw std::logic_error("no CUDA in this build"); }

std::optional<std::string> why_no_cuda() {
  return "built without CUDA (configure with -DPARITY_ENABLE_CUDA=ON)";
}
Stream::Stream(bool wanted) {
  if (wanted) throw std::logic_error("no CUDA in this build");
}
Stream::~Stream() = default;

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
std::optional<std::string> why_no_loops() { return why_no_cuda(); }

const std::optional<std::string>& why_no_peer() {
  static const std::optional<std::string> why = why_no_cuda();
  return why;
}
std::unique_ptr<PersistentExchange> peer_exchange(const std::vector<Message>&, const std::vector<Message>&) {
  throw std::logic_error("no CUDA in this build");
}

std::string why_no_fft() {
  return "its FFT on a GPU is cuFFT, which native CUDA calls: configure with -DPARITY_ENABLE_CUDA=ON";
}
void convolve(double*, std::int64_t, double, void*) { throw std::logic_error("no CUDA in this build"); }

}  // namespace parity::runtime
