// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of the field in native CUDA: its halo by one kernel a direction, and updates of its frame.
#pragma once
#include "diffusion/exchanged.hpp"
#include "fields.cuh"

namespace parity::cuda {

/// A kernel of cells and planes.
template <class Work>
__global__ void for_cells(Work work, int cells) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < cells) work(cell, int(blockIdx.y));
}

template <class T>
class PartOnDevice {
 public:
  static constexpr bool on_device = true;
  using Memory = Buffer<T>;

  PartOnDevice(const Problem& part, const Tuning& block)
      : f_(Fields<T>::padded(part)), block_(block.empty() ? dim3(128, 2) : block_of(block)) {}
  /// make() returns the fields, which nobody moves.
  template <class MakeFields>
  explicit PartOnDevice(MakeFields make) : f_(make()) {}

  T* operator[](int which) const { return f_[which]; }
  Memory memory(std::int64_t values) const { return Memory(values); }
  void load(const T* field) { f_.load(field); }
  void store(int which, T* padded, std::int64_t h) const { f_.store(which, padded, h); }
  void synchronise() const { f_.synchronise(); }
  void* stream() const { return f_.stream; }
  runtime::DeviceClock* clock() const { return f_.clock(); }

  void move(const char*, const Moves<T>& moves) const { launch(moves); }
  void update(const RegionUpdate<T>& regions) const { launch(regions); }

 protected:
  Fields<T> f_;
  dim3 block_;

 private:
  template <class Work>
  void launch(const Work& work) const {
    for_cells<<<dim3(blocks_for(work.cells(), 256), unsigned(f_.p.nz)), 256, 0, f_.stream>>>(work,
                                                                                             work.cells());
    PARITY_CUDA(cudaGetLastError());
  }
};

/// The same with the 13-point update of a region. Defined in variants/diffusion/fused_exchange/cuda.cu, whose
/// kernel it is.
template <class T>
struct UpdatedPart : PartOnDevice<T> {
  using PartOnDevice<T>::PartOnDevice;
  using PartOnDevice<T>::update;
  void update(const T* in, T* out, const Region& r) const;
};

// The passes of cuda-temporal-tuned over planes that are parts of larger ones. around: points around each
// plane, for all steps of a pass, that others write before it; an axis without any is periodic.

/// If columns do not fill packs or have some around them, a row of device memory holds columns before column
/// 0, and enough behind the last for the tiles of every pass.
template <class T>
Fields<T> stream_fields(const Problem& p, const Tuning& chains, const Margin& around);
/// Launches a pass from field 'at' to the other; how many steps of those left. spare: multiprocessors that
/// are left free.
template <class T>
std::function<int(int at, int left)> stream_passes(const Fields<T>& f, const Tuning& chains,
                                                   const Margin& around, int spare);
/// Why they cannot run here.
std::optional<std::string> why_no_stream(const Problem& p, const Tuning& chains);

/// The entry of one that updates, with blocks as tunings.
inline Entry with_part_blocks(Entry e) {
  e.tunings = {"2x128", "4x64", "8x32", "1x128", "4x128", "1x256", "16x16"};
  e.tuning_axes = "rows x columns of a block";
  e.refuse += refuse_grid;
  return e;
}

}  // namespace parity::cuda
