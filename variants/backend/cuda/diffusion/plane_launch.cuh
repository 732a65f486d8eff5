// SPDX-License-Identifier: BSD-3-Clause
// Which of a variant's kernels keeps a plane in registers, and what its launches need.
//
// Planes take turns on a GPU that does not hold all of them at a time: each plane's steps are cut into parts,
// and launch after launch takes the next turns of the ring of planes, so that no launch but the last leaves
// the GPU partly idle. This is the wrap-around rule for jobs that can be interrupted (McNaughton, Scheduling
// with deadlines and loss functions, Management Science 6, 1959).
#pragma once
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "backend/cuda/current_device.cuh"
#include "plane_place.cuh"
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

/// Turn t is part t / planes of plane t % planes. The first parts read the field that is given, all others
/// what the part before them has written.
struct PlaneTurns {
  int planes, parts, steps;  ///< steps of all parts of a plane
  int turns() const { return planes * parts; }
  int steps_of(int part) const { return part < parts ? Share(part, steps, parts).size : 0; }
};

/// The turns of one launch, n from 0: of one part those before 'after', of the next part the others. The host
/// divides, so that a kernel's loop over steps is seen to be the same for all lanes.
struct TurnsOfLaunch {
  int first, planes;  ///< the first turn's plane, and how many there are
  int after;
  int steps, steps_after;
  bool starts;  ///< the part before 'after' is the first
  TurnsOfLaunch(const PlaneTurns& t, int turn)
      : first(turn % t.planes),
        planes(t.planes),
        after(t.planes - first),
        steps(t.steps_of(turn / t.planes)),
        steps_after(t.steps_of(turn / t.planes + 1)),
        starts(turn < t.planes) {}
  PARITY_INLINE int plane(int n) const { return n < after ? first + n : n - after; }
  PARITY_INLINE bool begins(int n) const { return starts && n < after; }
  PARITY_INLINE int steps_of(int n) const { return n < after ? steps : steps_after; }
};

/// So many planes in one launch, whether or not they are at work at a time.
inline PlaneTurns one_turn_each(int planes, int steps) { return {planes, 1, steps}; }

/// The turns of planes of which so many are at work at a time: the number of parts for which all launches
/// together take the fewest steps, where a launch costs some steps more for its start, its loads and its
/// stores: 11 by the times of one step and of many, which were not kept, and some for the gap between two
/// launches.
inline PlaneTurns turns_of(int planes, int steps, int at_once) {
  constexpr int most_parts = 32, steps_of_a_launch = 16;
  PlaneTurns best = one_turn_each(planes, steps);
  if (planes <= at_once || at_once < 1 || planes > (1 << 20)) return best;
  const auto cost = [&](int parts) {
    const long long launches = ((long long)(planes)*parts + at_once - 1) / at_once;
    return launches * ((steps + parts - 1) / parts + steps_of_a_launch);
  };
  for (int parts = 2; parts <= most_parts && parts <= steps; ++parts)
    if (cost(parts) < cost(best.parts)) best.parts = parts;
  return best;
}

/// Calls launch(planes, turns) for each launch, where so many planes fit the GPU at a time.
template <class Launch>
void for_launches(const PlaneTurns& turns, int at_once, const Launch& launch) {
  // Turns of one part need not all be at work at a time.
  const int a_launch = turns.parts == 1 ? turns.planes : at_once;
  for (int turn = 0; turn < turns.turns(); turn += a_launch)
    launch(unsigned(std::min(a_launch, turns.turns() - turn)), TurnsOfLaunch(turns, turn));
}

/// Elements of a row of Fields::packed.
template <class T>
int packed_pitch(const Problem& p) {
  return int(packs_in_row<T>(p.nx)) * pack_width<T>;
}

/// The entry of a class that keeps planes in registers: refuse() says why it cannot, defers_scaling() whether
/// its kernel for a plane does so for an alpha that is exact.
template <template <class> class Planes>
Entry with_planes(Entry e) {
  e.refuse = [](const Problem& p, const Tuning& t) {
    return p.precision == Precision::f32 ? Planes<float>::refuse(p, t) : Planes<double>::refuse(p, t);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    const bool defers = p.precision == Precision::f32 ? Planes<float>::defers_scaling(p, t)
                                                      : Planes<double>::defers_scaling(p, t);
    CostModel m = cost_resident(p, 1, flops_by_pairs(p, defers));
    m.barriers = true;
    return m;
  };
  return with_factories<Planes>(std::move(e));
}

}  // namespace parity::cuda
