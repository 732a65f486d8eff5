// SPDX-License-Identifier: BSD-3-Clause
// Which form of plane_groups computes a plane, and its launch.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "backend/cuda/cluster.cuh"
#include "backend/cuda/current_device.cuh"
#include "fields.cuh"
#include "plane_groups.cuh"
#include "plane_seams.cuh"
#include "runtime/error.hpp"
#include "whole.cuh"

namespace parity::cuda {

/// Starts all steps of all planes on a stream, from one field into the other.
template <class T>
struct StartPlanes {
  std::function<void(const T* in, T* out, cudaStream_t stream)> start;
  Turns turns;
  StartPlanes() = default;
  template <class Start>
  StartPlanes(Start s) : start(std::move(s)) {}
  void operator()(const T* in, T* out, cudaStream_t stream) const { start(in, out, stream); }
};

template <class T>
using PlaneKernel = void (*)(const T*, T*, PlaneDivision, T, TurnsOfLaunch, T*);

/// The kernel of a form, of the two.
template <class Form, bool cluster, bool ragged, bool deferred>
constexpr PlaneKernel<typename Form::Value> kernel_of() {
  if constexpr (Form::hands_over(ragged, deferred))
    return plane_seams<Form, cluster, ragged, deferred>;
  else
    return plane_groups<Form, cluster, ragged, deferred>;
}

/// The kernel of a form for a division: DeferredScale where it is exact and the form has it.
template <class Form, bool cluster>
PlaneKernel<typename Form::Value> plane_kernel(const PlaneDivision& d, double alpha) {
  const bool defers = alpha == DeferredScale<typename Form::Value>::alpha;
  if constexpr (Form::whole_planes) {
    if (is_whole(Form::shape, d)) {
      if constexpr (Form::defers) {
        if (defers) return kernel_of<Form, cluster, false, true>();
      }
      return kernel_of<Form, cluster, false, false>();
    }
  }
  if constexpr (Form::defers_ragged) {
    if (defers) return kernel_of<Form, cluster, true, true>();
  }
  return kernel_of<Form, cluster, true, false>();
}

/// Whether that kernel puts off a scale that can be put off.
template <class Form>
bool puts_off(const PlaneDivision& d) {
  return Form::whole_planes && is_whole(Form::shape, d) ? Form::defers : Form::defers_ragged;
}

/// Why this GPU has too little shared memory for a form; nullopt where it has enough.
template <class Form>
std::optional<std::string> why_not_shared(bool cluster) {
  const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), need = Form::shared_bytes(cluster);
  if (need <= most) return std::nullopt;
  return "its block needs " + std::to_string(need / 1024) + " KiB of shared memory, this GPU's have " +
         std::to_string(most / 1024) + " at most";
}

/// Threads of a block.
template <class Form>
unsigned threads_of(const PlaneDivision& d) {
  return unsigned(d.groups / Form::groups_a_warp * 32);
}

#if PARITY_HAS_HOPPER_WORDS
/// A launch of so many planes, a cluster each.
template <class Form>
ClusterLaunch plane_clusters(const PlaneDivision& d, unsigned planes, cudaStream_t stream = nullptr) {
  return ClusterLaunch(dim3(planes * unsigned(d.blocks)), threads_of<Form>(d), dim3(unsigned(d.blocks)),
                       Form::shared_bytes(true), stream);
}

/// How many clusters of a division this GPU holds at a time.
template <class Form>
int clusters_resident(const PlaneDivision& d, double alpha) {
  const void* const kernel = reinterpret_cast<const void*>(plane_kernel<Form, true>(d, alpha));
  PARITY_CUDA(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Form::shared_bytes(true)));
  allow_large_clusters(kernel);
  return clusters_resident(kernel, plane_clusters<Form>(d, 1));
}
#endif

/// How many planes of a division this GPU keeps in registers at a time.
template <class Form, bool cluster>
int planes_resident(const PlaneDivision& d, double alpha) {
  if constexpr (cluster) {
#if PARITY_HAS_HOPPER_WORDS
    return clusters_resident<Form>(d, alpha);
#else
    throw runtime::CannotRunError("asynchronous stores to another block need CUDA 12.1 or newer");
#endif
  } else {
    const void* const kernel = reinterpret_cast<const void*>(plane_kernel<Form, false>(d, alpha));
    PARITY_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Form::shared_bytes(false)));
    int a_processor = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, kernel, int(threads_of<Form>(d)),
                                                              Form::shared_bytes(false)));
    return a_processor * attribute(cudaDevAttrMultiProcessorCount);
  }
}

/// Launches of a division's kernel for the planes of a problem, which take turns where they do not all fit
/// the GPU at a time.
template <class Form, bool cluster>
StartPlanes<typename Form::Value> plane_start(const PlaneDivision& d, const Problem& p) {
  using T = typename Form::Value;
  const PlaneKernel<T> kernel = plane_kernel<Form, cluster>(d, p.alpha);
  const int at_once = planes_resident<Form, cluster>(d, p.alpha);
  const PlaneTurns turns = turns_of(int(p.nz), int(p.steps), at_once);
  const T alpha = T(p.alpha);
  // Turns of one part need not all be at work at a time.
  const int a_launch = turns.parts == 1 ? turns.planes : at_once;
  StartPlanes<T> start = [=](const T* in, T* out, cudaStream_t stream) {
    for (int turn = 0; turn < turns.turns(); turn += a_launch) {
      const unsigned planes = unsigned(std::min(a_launch, turns.turns() - turn));
      const TurnsOfLaunch launch(turns, turn);
      if constexpr (!cluster) {
        kernel<<<planes, threads_of<Form>(d), Form::shared_bytes(false), stream>>>(in, out, d, alpha, launch,
                                                                                   nullptr);
        PARITY_CUDA(cudaGetLastError());
      } else {
#if PARITY_HAS_HOPPER_WORDS
        const ClusterLaunch clusters = plane_clusters<Form>(d, planes, stream);
        PARITY_CUDA(cudaLaunchKernelEx(&clusters.config, kernel, in, out, d, alpha, launch,
                                       static_cast<T*>(nullptr)));
#endif
      }
    }
  };
  start.turns = {at_once, turns.parts};
  return start;
}

/// A variant of all steps at once, out of field 0 into field 1.
template <class T>
class PlanesAtOnce : public WholeRun<T> {
 public:
  PlanesAtOnce(const Problem& p, StartPlanes<T> start)
      : WholeRun<T>([&p] { return Fields<T>::packed(p); }), start_(std::move(start)) {}
  void advance() override {
    start_(f_[0], f_[1], f_.stream);
    result_ = 1;
  }
  Turns turns() const override { return start_.turns; }

 private:
  using WholeRun<T>::f_;
  using WholeRun<T>::result_;
  StartPlanes<T> start_;
};

/// Elements of a row of Fields::packed.
template <class T>
int packed_pitch(const Problem& p) {
  return int(packs_in_row<T>(p.nx)) * pack_width<T>;
}

}  // namespace parity::cuda
