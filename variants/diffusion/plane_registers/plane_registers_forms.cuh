// SPDX-License-Identifier: BSD-3-Clause
// The forms of cuda-plane-registers, for one precision.
#pragma once
#include "plane_registers.cuh"
#include "warp_plane.cuh"

namespace parity::cuda {
namespace {

/// From the narrowest on: rows x columns of a lane, lanes of a group.
template <class T>
using NarrowForm = PlaneForm<T, 4, 2, 16, 128>;
template <class T>
using MiddleForm = PlaneForm<T, 8, 4, 16, 256>;
template <class T>
using WideForm = PlaneForm<T, 16, 4, 32, 256>;

/// Calls use(form, division) for the first form that fits; false where none does.
template <class T, class Use>
bool with_form(const Problem& p, Use use) {
  const auto fits = [&](auto form) {
    using Form = decltype(form);
    if (p.nx > Form::columns * Form::group_lanes || p.ny > Form::rows * Form::most_groups) return false;
    const PlaneDivision d = divide_plane(Form::shape, int(p.nx), int(p.ny), packed_pitch<T>(p), 1);
    if (d.groups > 0) use(form, d);
    return d.groups > 0;
  };
  return fits(NarrowForm<T>()) || fits(MiddleForm<T>()) || fits(WideForm<T>());
}

/// Planes of 16 x 16.
template <class T>
constexpr bool one_warp(const Problem& p) {
  return p.nx == 16 && p.ny == 16;
}

}  // namespace

template <class T>
std::optional<std::string> why_not_in_registers(const Problem& p) {
  if (p.nz > std::numeric_limits<int>::max()) return "more than 2^31 - 1 planes";
  if (one_warp<T>(p)) return std::nullopt;
  std::optional<std::string> why;
  const bool found =
      with_form<T>(p, [&](auto form, const PlaneDivision&) { why = why_not_shared<decltype(form)>(false); });
  if (found) return why;
  return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
         " does not fit the registers of a block: 128x128 at most, 2x6 at least, and not every size between "
         "them "
         "can be shared out";
}

template <class T>
bool puts_off_in_registers(const Problem& p) {
  bool puts = one_warp<T>(p);
  if (!puts) with_form<T>(p, [&](auto form, const PlaneDivision& d) { puts = puts_off<decltype(form)>(d); });
  return puts;
}

template <class T>
StartPlanes<T> start_in_registers(const Problem& p) {
  if (one_warp<T>(p)) {
    const auto kernel =
        p.alpha == DeferredScale<T>::alpha ? warp_plane<T, 4, 2, 8, true> : warp_plane<T, 4, 2, 8, false>;
    const int steps = int(p.steps), pitch = packed_pitch<T>(p);
    const T alpha = T(p.alpha);
    const unsigned nz = unsigned(p.nz);
    return [=](const T* in, T* out, cudaStream_t stream) {
      kernel<<<nz, 32, 0, stream>>>(in, out, pitch, alpha, steps);
      PARITY_CUDA(cudaGetLastError());
    };
  }
  StartPlanes<T> start;
  with_form<T>(p,
               [&](auto form, const PlaneDivision& d) { start = plane_start<decltype(form), false>(d, p); });
  return start;
}

}  // namespace parity::cuda
