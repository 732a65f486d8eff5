// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/device.hpp"

#include <algorithm>
#include <vector>

#include "cuda/check.cuh"

namespace parity::cuda {
namespace {

__global__ void probe(int* answer) { *answer = 42; }

/// Launches one kernel, because only that shows whether this binary holds code for the device.
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

class Clock : public study::DeviceClock {
 public:
  explicit Clock(cudaStream_t stream) : stream_(stream) {
    PARITY_CUDA(cudaEventCreate(&start_));
    PARITY_CUDA(cudaEventCreate(&stop_));
  }
  ~Clock() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
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
  cudaEvent_t start_{}, stop_{};
};

}  // namespace

std::optional<Device> device(std::string* why) {
  static const std::string reason = why_unusable();
  if (!reason.empty()) {
    if (why) *why = reason;
    return std::nullopt;
  }
  static const Device found = [] {
    int id = 0;
    PARITY_CUDA(cudaGetDevice(&id));
    cudaDeviceProp properties{};
    PARITY_CUDA(cudaGetDeviceProperties(&properties, id));
    Device d;
    d.name = properties.name;
    d.major = properties.major;
    d.minor = properties.minor;
    d.multiprocessors = properties.multiProcessorCount;
    d.memory_bytes = std::int64_t(properties.totalGlobalMem);
    d.l2_bytes = properties.l2CacheSize;
    d.ecc = properties.ECCEnabled != 0;
    // Attributes, because CUDA 13 took the clocks out of cudaDeviceProp.
    PARITY_CUDA(cudaDeviceGetAttribute(&d.clock_khz, cudaDevAttrClockRate, id));
    PARITY_CUDA(cudaDeviceGetAttribute(&d.memory_clock_khz, cudaDevAttrMemoryClockRate, id));
    PARITY_CUDA(cudaDriverGetVersion(&d.driver));
    PARITY_CUDA(cudaRuntimeGetVersion(&d.runtime));
    return d;
  }();
  return found;
}

std::int64_t free_memory() {
  if (!device()) return 0;
  std::size_t free = 0, total = 0;
  PARITY_CUDA(cudaMemGetInfo(&free, &total));
  return std::int64_t(free);
}

std::unique_ptr<study::DeviceClock> make_clock(void* stream) {
  return std::make_unique<Clock>(static_cast<cudaStream_t>(stream));
}

double copy_bandwidth(std::int64_t bytes) {
  if (!device() || bytes <= 0) return 0;
  void *from = nullptr, *to = nullptr;
  PARITY_CUDA(cudaMalloc(&from, std::size_t(bytes)));
  PARITY_CUDA(cudaMalloc(&to, std::size_t(bytes)));
  PARITY_CUDA(cudaMemset(from, 0x3c, std::size_t(bytes)));
  // Enough copies in one bracket that the launch of a small one does not count.
  const int copies = int(std::clamp<std::int64_t>((std::int64_t(1) << 30) / bytes, 4, 256));
  std::vector<double> seconds;
  Clock clock(nullptr);
  for (int repeat = 0; repeat < 9; ++repeat) {
    clock.start();
    for (int c = 0; c < copies; ++c)
      PARITY_CUDA(cudaMemcpyAsync(to, from, std::size_t(bytes), cudaMemcpyDeviceToDevice, nullptr));
    clock.stop();
    seconds.push_back(clock.seconds() / copies);
  }
  PARITY_CUDA(cudaFree(from));
  PARITY_CUDA(cudaFree(to));
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return 2.0 * double(bytes) / seconds[4];
}

}  // namespace parity::cuda
