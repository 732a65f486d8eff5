// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the CUDA launch variants: their kernels, a stream and the shape of every launch.
#pragma once
#include "backend/cuda/current_device.cuh"
#include "backend/cuda/owned.cuh"
#include "launch/variant.hpp"

namespace parity::launch {

using cuda::attribute;

/// Maximum argument bytes of a wait kernel besides its Work, in the 4 KB that every toolkit passes.
constexpr int most_argument_bytes = 3968;

// Templates, so that every file has its own copy without a warning.
template <int = 0>
__global__ void empty_kernel() {}
template <int bytes>
__global__ void argument_kernel(Argument<bytes>) {}

__device__ __forceinline__ std::int64_t thread_of_grid() {
  return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
template <Kind kind>
__global__ void work_kernel(Work work) {
  perform<kind>(work, thread_of_grid());
}
template <int bytes>
__global__ void wait_kernel(Work work, Remainder<bytes>) {
  perform<Kind::wait>(work, thread_of_grid());
}

/// Calls f(kernel, arguments...) with the kernel of an event's work; events with other arguments wait or do
/// nothing.
template <class F>
void with_kernel(const Work& work, int argument_bytes, const F& f) {
  if (work.kind == Kind::none) {
    with_argument<most_argument_bytes>(argument_bytes, [&](auto bytes) {
      if constexpr (bytes() == 0) {
        f(empty_kernel<>);
      } else {
        f(argument_kernel<bytes()>, Argument<bytes()>{});
      }
    });
  } else if (work.kind == Kind::wait) {
    with_argument<most_argument_bytes>(argument_bytes, [&](auto bytes) {
      if constexpr (bytes() == 0) {
        f(work_kernel<Kind::wait>, work);
      } else {
        f(wait_kernel<bytes()>, work, Remainder<bytes()>{});
      }
    });
  } else {
    with_kind(work.kind, [&](auto kind) { f(work_kernel<kind()>, work); });
  }
}

/// A kernel with its arguments, as launch functions and graph nodes take them.
class Call {
 public:
  Call(const Work& work, int argument_bytes) : work_(work), argument_(std::size_t(argument_bytes)) {
    arguments_[0] = work.kind == Kind::none ? static_cast<void*>(argument_.data()) : &work_;
    arguments_[1] = argument_.data();
    with_kernel(work, argument_bytes,
                [this](auto* kernel, const auto&...) { function_ = reinterpret_cast<const void*>(kernel); });
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  const void* function() const { return function_; }
  void** arguments() const { return arguments_; }

 private:
  Work work_;
  std::vector<char> argument_;
  const void* function_ = nullptr;
  mutable void* arguments_[2];  ///< CUDA only reads it but takes no pointer to const
};

/// Base of the probes: a stream, and the shape of every launch.
class CudaProbe : public Probe {
 public:
  explicit CudaProbe(const Problem& p) : p_(p), grid_(unsigned(p.blocks)), block_(unsigned(p.threads)) {
    PARITY_CUDA(cudaStreamCreateWithFlags(stream_.put(), cudaStreamNonBlocking));
  }
  void synchronise() override { PARITY_CUDA(cudaStreamSynchronize(stream_)); }
  void* stream() const override { return stream_; }

 protected:
  Problem p_;
  dim3 grid_, block_;
  cuda::OwnedStream stream_;
};

/// The reason why a grid of these blocks cannot be resident as a whole; nullopt if it can. Launched
/// cooperatively, CUDA would refuse it; otherwise it would deadlock.
inline std::optional<std::string> why_not_resident(const void* function, const Problem& p) {
  int a_multiprocessor = 0;
  PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, function, p.threads, 0));
  const long long most = (long long)(a_multiprocessor)*attribute(cudaDevAttrMultiProcessorCount);
  if (p.blocks <= most) return std::nullopt;
  return "of " + std::to_string(p.blocks) + " blocks of " + std::to_string(p.threads) + " threads only " +
         std::to_string(most) +
         " are resident at once here, and they would wait for the others for ever; reduce --blocks or "
         "--threads";
}

/// The reason why a kernel cannot be launched cooperatively; nullopt if it can.
inline std::optional<std::string> why_not_cooperative(const void* function, const Problem& p) {
  if (!attribute(cudaDevAttrCooperativeLaunch)) return "this GPU cannot launch cooperative kernels";
  return why_not_resident(function, p);
}

/// An entry that is unavailable in this build or on this device, with the reason.
inline Entry cannot(Role role, const char* reason) {
  Entry e;
  e.role = role;
  e.unavailable = reason;
  return e;
}

}  // namespace parity::launch
