// SPDX-License-Identifier: BSD-3-Clause
// How cuda-resident finds the form of a plane among those of a precision, and how it starts it: as many
// planes at a time as the GPU's multiprocessors hold, all steps of them before the next.
#pragma once
#include <memory>
#include <tuple>

#include "resident.cuh"

namespace parity::cuda {

/// All: a tuple of forms, from the narrowest on. Specialised beside the instantiation for its precision.
template <class T>
struct ResidentForms;

/// A launch whose blocks wait for each other: all of them must be at work at a time.
struct ResidentGrid {
  int planes = 0;  ///< at a time; 0 where not even one fits
  Turns turns;
  std::string why;
};

/// Calls use(form, division) for the first form that a plane fits, in as few blocks of at most so many warps
/// as it can; false where none does. Forms: a tuple, from the narrowest on.
template <class Forms, class Use>
bool with_resident_form(const Problem& p, int warps, Use use) {
  const int most = attribute(cudaDevAttrMultiProcessorCount) * 8 / warps;
  bool found = false;
  const auto try_form = [&](auto form) {
    using Form = decltype(form);
    if (found || p.nx > Form::columns * Form::group_lanes) return;
    for (int blocks = 1; blocks <= most && !found; ++blocks) {
      if (p.ny > std::int64_t(Form::rows) * Form::most_groups * blocks) continue;
      const PlaneDivision d =
          divide_plane(Form::shape, int(p.nx), int(p.ny), packed_pitch<typename Form::Value>(p), blocks);
      if (d.groups == 0 || d.groups > warps) continue;
      found = true;
      use(form, d);
    }
  };
  std::apply([&](auto... forms) { (try_form(forms), ...); }, Forms());
  return found;
}

/// What this GPU can hold of a division at a time, in blocks of at most so many warps.
template <class Form>
ResidentGrid resident_grid(const PlaneDivision& d, const Problem& p, int warps) {
  ResidentGrid grid;
  if (const auto why = why_not_shared<Form>(true)) {
    grid.why = *why;
    return grid;
  }
  // Smaller blocks take the shared memory of large ones: they are only of use where as many warps fit.
  const int side_by_side = Form::threads / 32 / warps,
            a_block = Form::shared_bytes(true) + attribute(cudaDevAttrReservedSharedMemoryPerBlock),
            in_all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  if (side_by_side > 1 && side_by_side * a_block > in_all) {
    grid.why = std::to_string(side_by_side) + " blocks of " + std::to_string(warps) + " warps, each with " +
               std::to_string(a_block / 1024) + " KiB of shared memory, do not fit this GPU's " +
               std::to_string(in_all / 1024) + " side by side";
    return grid;
  }
  if (!attribute(cudaDevAttrCooperativeLaunch)) {
    grid.why = "this GPU cannot launch cooperative kernels";
    return grid;
  }
  const void* const kernel = reinterpret_cast<const void*>(plane_kernel<Form, true>(d, p.alpha));
  PARITY_CUDA(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Form::shared_bytes(true)));
  int a_processor = 0;
  PARITY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, kernel, int(threads_of<Form>(d)),
                                                            Form::shared_bytes(true)));
  const int blocks = a_processor * attribute(cudaDevAttrMultiProcessorCount);
  grid.planes = blocks / d.blocks;
  grid.turns.at_once = grid.planes;
  if (grid.planes == 0) {
    grid.why = "a plane needs " + std::to_string(d.blocks) + " blocks at work at a time, this GPU holds " +
               std::to_string(blocks);
    return grid;
  }
  // As many in each batch, so that the last one is no shorter than it must be.
  const std::int64_t batches = (p.nz + grid.planes - 1) / grid.planes;
  grid.planes = int((p.nz + batches - 1) / batches);
  grid.turns.parts = int(batches);
  return grid;
}

template <class T>
std::optional<std::string> why_not_resident(const Problem& p, int warps) {
  using Forms = typename ResidentForms<T>::All;
  constexpr int widest = std::tuple_element_t<std::tuple_size_v<Forms> - 1, Forms>::columns * 32;
  if (p.nz > std::numeric_limits<int>::max() || p.steps >= std::numeric_limits<int>::max())
    return "more than 2^31 - 1 planes or steps";
  if (p.nx > widest)
    return "rows of more than " + std::to_string(widest) + " points do not fit the registers of a warp";
  std::optional<std::string> why;
  if (with_resident_form<Forms>(p, warps, [&](auto form, const PlaneDivision& d) {
        const ResidentGrid grid = resident_grid<decltype(form)>(d, p, warps);
        if (grid.planes == 0) why = grid.why;
      }))
    return why;
  return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
         " does not fit the registers of this GPU, or cannot be shared out among its blocks";
}

template <class T>
bool puts_off_in_resident(const Problem& p, int warps) {
  bool puts = false;
  with_resident_form<typename ResidentForms<T>::All>(
      p, warps, [&](auto form, const PlaneDivision& d) { puts = puts_off<decltype(form)>(d); });
  return puts;
}

/// Two boxes a block.
template <class Form>
std::int64_t box_elements(const ResidentGrid& grid, const PlaneDivision& d) {
  return 2 * std::int64_t(grid.planes) * d.blocks * Form::Box::size;
}

template <class T>
double resident_box_bytes(const Problem& p, int warps) {
  double bytes = 0;
  with_resident_form<typename ResidentForms<T>::All>(p, warps, [&](auto form, const PlaneDivision& d) {
    using Form = decltype(form);
    bytes = double(box_elements<Form>(resident_grid<Form>(d, p, warps), d)) * double(sizeof(T));
  });
  return bytes;
}

template <class T, int columns>
__global__ void empty_boxes(T* boxes, long long size) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < size; i += gridDim.x * 256ll)
    boxes[i] = Mailbox<T, columns>::nothing();
}

template <class T>
StartPlanes<T> start_resident(const Problem& p, int warps) {
  StartPlanes<T> start;
  with_resident_form<typename ResidentForms<T>::All>(p, warps, [&](auto form, const PlaneDivision& division) {
    using Form = decltype(form);
    const ResidentGrid grid = resident_grid<Form>(division, p, warps);
    const unsigned blocks = unsigned(grid.planes * division.blocks);
    // Emptied once: every message is taken before the launch ends.
    const auto boxes = std::make_shared<Buffer<T>>(box_elements<Form>(grid, division));
    empty_boxes<T, Form::columns><<<256, 256>>>(boxes->data(), boxes->size());
    PARITY_CUDA(cudaGetLastError());
    PARITY_CUDA(cudaDeviceSynchronize());
    const PlaneKernel<T> kernel = plane_kernel<Form, true>(division, p.alpha);
    start = [=, d = division, alpha = T(p.alpha),
             turns = TurnsOfLaunch(one_turn_each(int(p.nz), int(p.steps)), 0)](const T* in, T* out,
                                                                               cudaStream_t stream) mutable {
      T* box = boxes->data();
      void* arguments[] = {&in, &out, &d, &alpha, &turns, &box};
      PARITY_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                              dim3(threads_of<Form>(d)), arguments,
                                              std::size_t(Form::shared_bytes(true)), stream));
    };
    start.turns = grid.turns;
  });
  return start;
}

}  // namespace parity::cuda
