// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "buffer.cuh"
#include "current_device.cuh"
#include "owned.cuh"
#include "runtime/clock.hpp"
#include "runtime/error.hpp"

namespace parity::runtime {
namespace {

__global__ void probe(int* answer) { *answer = 42; }

/// Launches one kernel, because only a launch shows if this binary holds code for the device.
std::string why_unusable() {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return std::string("no usable GPU: ") + cudaGetErrorString(status);
  if (count == 0) return "no GPU on this machine";
  int* answer = nullptr;
  int host = 0;
  status = cudaMalloc(&answer, sizeof(int));
  if (status == cudaSuccess) {
    probe<<<1, 1>>>(answer);
    status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaMemcpy(&host, answer, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(answer);
  }
  cudaGetLastError();
  if (status == cudaSuccess && host == 42) return {};
  return std::string("the GPU cannot run this build (") + cudaGetErrorString(status) +
         "); build for its architecture with -DCMAKE_CUDA_ARCHITECTURES=NN";
}

class Clock : public DeviceClock {
 public:
  explicit Clock(cudaStream_t stream) : stream_(stream) {
    PARITY_CUDA(cudaEventCreate(start_.put()));
    PARITY_CUDA(cudaEventCreate(stop_.put()));
  }
  void start() override { PARITY_CUDA(cudaEventRecord(start_, stream_)); }
  void stop() override { PARITY_CUDA(cudaEventRecord(stop_, stream_)); }
  double seconds() override {
    float milliseconds = 0;
    PARITY_CUDA(cudaEventSynchronize(stop_));
    PARITY_CUDA(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return double(milliseconds) * 1e-3;
  }

 private:
  cudaStream_t stream_;
  cuda::OwnedEvent start_, stop_;
};

Device facts_of_current_device() {
  cudaDeviceProp properties{};
  PARITY_CUDA(cudaGetDeviceProperties(&properties, cuda::current_device()));
  Device d;
  d.name = properties.name;
  d.uuid = uuid_text(properties.uuid.bytes);
  d.index = cuda::current_device();
  d.major = properties.major;
  d.minor = properties.minor;
  d.multiprocessors = properties.multiProcessorCount;
  d.memory_bytes = std::int64_t(properties.totalGlobalMem);
  d.l2_bytes = properties.l2CacheSize;
  d.ecc = properties.ECCEnabled != 0;
  // Attributes, because CUDA 13 removed the clocks from cudaDeviceProp.
  d.clock_khz = cuda::attribute(cudaDevAttrClockRate);
  d.memory_clock_khz = cuda::attribute(cudaDevAttrMemoryClockRate);
  PARITY_CUDA(cudaDriverGetVersion(&d.driver));
  PARITY_CUDA(cudaRuntimeGetVersion(&d.runtime));
  return d;
}

/// Cached facts of a device.
struct Found {
  std::string why_unusable;
  Device facts;
  Found() : why_unusable(runtime::why_unusable()) {
    if (why_unusable.empty()) facts = facts_of_current_device();
  }
};

const Found& find_current_device() {
  static std::mutex one_at_a_time;
  static std::map<int, Found> known;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  int id = -1;
  if (cudaGetDevice(&id) != cudaSuccess) cudaGetLastError();  // why_unusable() finds the reason
  return known[id];
}

}  // namespace

std::optional<Device> device(std::string* why) {
  const Found& found = find_current_device();
  if (found.why_unusable.empty()) return found.facts;
  if (why) *why = found.why_unusable;
  return std::nullopt;
}

int device_count() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  return status == cudaSuccess ? count : 0;
}

void use_device(int index) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status != cudaSuccess || count == 0)
    throw CannotRunError(std::string("--device: no usable GPU: ") + cudaGetErrorString(status));
  if (index < 0 || index >= count)
    throw UsageError("--device is " + std::to_string(index) + ": give a whole number from 0 to " +
                     std::to_string(count - 1));
  PARITY_CUDA(cudaSetDevice(index));
}

std::int64_t free_device_memory() {
  if (!device()) return 0;
  std::size_t free = 0, total = 0;
  PARITY_CUDA(cudaMemGetInfo(&free, &total));
  return std::int64_t(free);
}

std::unique_ptr<DeviceClock> make_clock(void* stream) {
  return std::make_unique<Clock>(static_cast<cudaStream_t>(stream));
}

double device_copy_bandwidth(std::int64_t bytes) {
  if (!device() || bytes <= 0) return 0;
  const cuda::Buffer<char> from(bytes), to(bytes);
  PARITY_CUDA(cudaMemset(from.data(), 0x3c, from.bytes()));
  // Times many copies together, so that the launch of a small copy does not count.
  const int copies = int(std::clamp<std::int64_t>((std::int64_t(1) << 30) / bytes, 4, 256));
  std::vector<double> seconds;
  Clock clock(nullptr);
  for (int repeat = 0; repeat < 9; ++repeat) {
    clock.start();
    for (int c = 0; c < copies; ++c)
      PARITY_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, nullptr));
    clock.stop();
    seconds.push_back(clock.seconds() / copies);
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return 2.0 * double(bytes) / seconds[4];
}

}  // namespace parity::runtime
