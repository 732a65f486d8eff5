// SPDX-License-Identifier: BSD-3-Clause
// How cuda-plane-cluster finds the form of a plane among those of a precision.
#pragma once
#include <tuple>

#include "backend/cuda/architecture.cuh"
#include "plane_cluster.cuh"

namespace parity::cuda {

/// All: a tuple of forms, from the narrowest on. Specialised beside the instantiation for its precision.
template <class T>
struct ClusterForms;

/// Calls use(form, division) for the smallest cluster of at least so many blocks, and of its forms the first,
/// that a plane fits; false where none does. Forms: a tuple, from the narrowest on.
template <class Forms, class Use>
bool with_cluster(const Problem& p, int at_least, Use use) {
  for (const int blocks : {2, 4, 8, 16}) {
    if (blocks < at_least) continue;
    bool found = false;
    const auto try_form = [&](auto form) {
      using Form = decltype(form);
      if (found || p.nx > Form::columns * Form::group_lanes) return;
      if (p.ny > std::int64_t(Form::rows) * Form::most_groups * blocks) return;
      const PlaneDivision d =
          divide_plane(Form::shape, int(p.nx), int(p.ny), packed_pitch<typename Form::Value>(p), blocks);
      if (d.groups == 0) return;
      found = true;
      use(form, d);
    };
    std::apply([&](auto... forms) { (try_form(forms), ...); }, Forms());
    if (found) return true;
  }
  return false;
}

/// Why this GPU cannot keep a cluster of that many blocks resident.
template <class Form>
std::optional<std::string> why_no_cluster([[maybe_unused]] const PlaneDivision& d,
                                          [[maybe_unused]] double alpha) {
#if PARITY_HAS_HOPPER_WORDS
  const auto kernel = plane_kernel<Form, true>(d, alpha);
  if (const auto why = why_not_sm_90(kernel, "thread block clusters")) return why;
  if (const auto why = why_not_shared<Form>(true)) return why;
  if (clusters_resident<Form>(d, alpha) == 0)
    return "no cluster of " + std::to_string(d.blocks) + " blocks fits this GPU";
  return std::nullopt;
#else
  return "asynchronous stores to another block need CUDA 12.1 or newer";
#endif
}

template <class T>
std::optional<std::string> why_not_in_cluster(const Problem& p, int blocks) {
  if (p.nz * 16 > std::numeric_limits<int>::max()) return "more than 2^27 planes";
  std::optional<std::string> why;
  if (with_cluster<typename ClusterForms<T>::All>(p, blocks, [&](auto form, const PlaneDivision& d) {
        why = why_no_cluster<decltype(form)>(d, p.alpha);
      }))
    return why;
  return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
         " does not fit the registers of a cluster of " + std::to_string(blocks) +
         " blocks or more, or cannot be shared out among them";
}

template <class T>
bool puts_off_in_cluster(const Problem& p, int blocks) {
  bool puts = false;
  with_cluster<typename ClusterForms<T>::All>(
      p, blocks, [&](auto form, const PlaneDivision& d) { puts = puts_off<decltype(form)>(d); });
  return puts;
}

template <class T>
StartPlanes<T> start_in_cluster([[maybe_unused]] const Problem& p, [[maybe_unused]] int blocks) {
  StartPlanes<T> start;
#if PARITY_HAS_HOPPER_WORDS
  with_cluster<typename ClusterForms<T>::All>(
      p, blocks, [&](auto form, const PlaneDivision& d) { start = plane_start<decltype(form), true>(d, p); });
#endif
  return start;
}

}  // namespace parity::cuda
