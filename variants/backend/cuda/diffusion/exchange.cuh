// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of the field in native CUDA: kernels that pack and unpack its halo and update its frame.
#pragma once
#include "diffusion/exchanged.hpp"
#include "fields.cuh"

namespace parity::cuda {

/// Calls work(cell, plane) with one thread per cell.
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
  /// make() constructs the fields in place, because they cannot be moved.
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

/// The same with the 13-point update of a region, which variants/diffusion/fused_exchange/cuda.cu defines.
template <class T>
struct UpdatedPart : PartOnDevice<T> {
  using PartOnDevice<T>::PartOnDevice;
  using PartOnDevice<T>::update;
  void update(const T* in, T* out, const Region& r) const;
};

// The passes of cuda-temporal-tuned over parts of planes. around: points around each plane, for all steps of
// a pass, that other code writes before it; an axis without such points is periodic.

/// If columns do not fill packs or have points around them, a row of device memory holds columns before
/// column 0, and enough columns after the last for the tiles of every pass.
template <class T>
Fields<T> stream_fields(const Problem& p, const Tuning& chains, const Margin& around);
/// Launches a pass from field 'at' to the other; returns how many of the 'left' steps it does. spare:
/// multiprocessors to leave free.
template <class T>
std::function<int(int at, int left)> stream_passes(const Fields<T>& f, const Tuning& chains,
                                                   const Margin& around, int spare);
/// The reason why these passes cannot run here; nullopt if they can.
std::optional<std::string> why_no_stream(const Problem& p, const Tuning& chains);

/// The entry of an algorithm that updates, with blocks as tunings.
inline Entry with_part_blocks(Entry e) {
  e.tunings = {"2x128", "4x64", "8x32", "1x128", "4x128", "1x256", "16x16"};
  e.tuning_axes = "rows x columns of a block";
  e.refuse += refuse_grid;
  return e;
}

}  // namespace parity::cuda
