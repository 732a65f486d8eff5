// SPDX-License-Identifier: BSD-3-Clause
// Which of a variant's kernels keeps a plane in registers, and what its launch needs.
#pragma once
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "backend/cuda/current_device.cuh"
#include "plane_place.cuh"
#include "plane_turns.hpp"
#include "whole.cuh"

/// A file that compiles for minutes is compiled twice: as it is, for float and the entry, and with
/// PARITY_IN_DOUBLE for double.
#ifdef PARITY_IN_DOUBLE
#define PARITY_INSTANTIATE(Class) template class Class<double>;
#else
#define PARITY_INSTANTIATE(Class) \
  template class Class<float>;    \
  extern template class Class<double>;
#endif

namespace parity::cuda {

/// One of a variant's configurations as a type. Configs: all[], from the narrowest on.
template <class Configs, int n>
struct PlaneForm {
  static constexpr PlaneConfig config = Configs::all[n];
};

template <class Configs, class Use, int... n>
bool find_form(const Use& use, std::integer_sequence<int, n...>) {
  return (use(PlaneForm<Configs, n>()) || ...);
}
/// Calls use(form) for one form after the other until it returns true.
template <class Configs, class Use>
void find_form(const Use& use) {
  find_form<Configs>(use, std::make_integer_sequence<int, int(std::size(Configs::all))>());
}

/// A kernel for the planes of a problem.
template <class Kernel>
struct PlaneLaunch {
  Kernel kernel = nullptr;  ///< null if no form fits
  PlaneDivision d{};
  int threads = 0, shared_bytes = 0;
  bool defers_scaling = false;  ///< for an alpha that is exact
  const void* function() const { return reinterpret_cast<const void*>(kernel); }

  /// Why this GPU has too little shared memory for it; nullopt if it has enough.
  std::optional<std::string> why_not_shared() const {
    const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    if (shared_bytes <= most) return std::nullopt;
    return "its block needs " + std::to_string(shared_bytes / 1024) +
           " KiB of shared memory, this GPU's have " + std::to_string(most / 1024) + " at most";
  }
  /// Blocks of the kernel that the GPU holds at a time.
  int blocks_resident() const {
    allow_shared();
    int a_processor = 0;
    PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, function(), threads,
                                                              std::size_t(shared_bytes)));
    return a_processor * attribute(cudaDevAttrMultiProcessorCount);
  }
  void allow_shared() const {
    PARITY_CUDA(cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  }
};

/// Elements of a row of Fields::packed.
template <class T>
int packed_pitch(const Problem& p) {
  return int(packs_in_row<T>(p.nx)) * pack_width<T>;
}

}  // namespace parity::cuda
