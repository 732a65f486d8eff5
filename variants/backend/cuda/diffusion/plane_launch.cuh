// SPDX-License-Identifier: BSD-3-Clause
// Kernels that keep planes in registers: a lane's part of its plane, its neighbours in the row and the
// barriers of its seams; then the choice of a kernel for a problem and its launch. Form: a PlaneForm.
#pragma once
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "backend/cuda/current_device.cuh"
#include "fields.cuh"
#include "lanes.cuh"
#include "plane_division.hpp"

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

/// Read anew, so that the compiler cannot keep what is made of it in registers over a loop in between.
__device__ __forceinline__ int thread_read_again() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}
__device__ __forceinline__ int block_read_again() {
  int block;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  return block;
}

/// Who has what.
template <class Form, bool cluster, bool ragged>
struct Place {
  static constexpr int group_rows = Form::config.rows, lane_columns = Form::config.columns,
                       group_lanes = Form::config.lanes;
  /// Whether what a lane has of its plane is read again after the steps, and not kept over them: that frees
  /// registers. By measurement it pays in rows of 32 lanes with fewer than 16 columns each.
  static constexpr bool reads_again = group_lanes == 32 && lane_columns < 16;
  int lx, g, rank, turn;  ///< lane of the group, group of the block, block of the plane, turn of the launch
  bool odd, active;       ///< the group's number is; the lane is
  int lanes;              ///< of a group at work
  GroupRows rows;
  Share columns;
  int first_column, nx, pitch;

  __device__ __forceinline__ Place(const PlaneDivision& d, int warp, int lane, int block)
      : lx(lane % group_lanes),
        g(warp * (32 / group_lanes) + lane / group_lanes),
        rank(cluster ? block % d.blocks : 0),
        turn(cluster ? block / d.blocks : block),
        odd(g % 2 == 1),
        active(!ragged || lx < d.lanes),
        lanes(ragged ? d.lanes : group_lanes),
        rows(rank * d.groups + g, d.ny, d.groups * d.blocks, group_rows),
        columns(active ? lx : 0, d.nx, lanes),
        first_column(ragged ? columns.first : lx * lane_columns),
        nx(d.nx),
        pitch(d.pitch) {}
  /// The same after a loop over steps. Kept over the loop, it would take registers that the loop's schedule
  /// needs.
  __device__ __forceinline__ Place again(const PlaneDivision& d) const {
    if constexpr (reads_again) {
      const int thread = thread_read_again();
      return Place(d, thread / 32, thread % 32, block_read_again());
    } else {
      return *this;
    }
  }

  /// Where the group's row r begins in its plane.
  __device__ __forceinline__ std::size_t row(int r) const {
    const int j = ragged ? rows.of_plane(r)
                  : odd  ? rows.share.first + group_rows - 1 - r
                         : rows.share.first + r;
    return std::size_t(j) * pitch;
  }
  /// The group's rows beyond this one are copies.
  __device__ __forceinline__ bool is_copy(int r) const { return ragged && r >= rows.share.size; }
  template <class T>
  __device__ __forceinline__ void load(T (&to)[lane_columns], const T* row) const {
    if constexpr (!ragged) {
      read_columns(to, row + first_column);
    } else {
#pragma unroll
      for (int i = 0; i < lane_columns; ++i) {
        int at = first_column + i;
        while (at >= nx) at -= nx;
        to[i] = active ? row[at] : T(0);
      }
    }
  }
  template <class T>
  __device__ __forceinline__ void store(const T (&from)[lane_columns], T* row) const {
    if constexpr (!ragged) {
      write_columns(from, row + first_column);
    } else {
#pragma unroll
      for (int i = 0; i < lane_columns; ++i)
        if (active && i < columns.size) row[first_column + i] = from[i];
    }
  }
};

/// What a lane hands to its right and to its left in the ring of a row: its own last column, and the first
/// that the left one lacks.
template <class Form, bool ragged>
class RowRing {
 public:
  template <bool cluster>
  __device__ __forceinline__ RowRing(const Place<Form, cluster, ragged>& here)
      // Of whole rows a shuffle's own wrap, within its width, is that of the plane.
      : left_(!ragged || (here.active && here.lx > 0) ? here.lx - 1
              : here.active                           ? here.lanes - 1
                                                      : here.lx),
        right_(!ragged || (here.active && here.lx < here.lanes - 1) ? here.lx + 1
               : here.active                                        ? 0
                                                                    : here.lx),
        short_here_(ragged && here.columns.size < Form::config.columns),
        short_left_(ragged &&
                    Share(here.active ? left_ : 0, here.nx, here.lanes).size < Form::config.columns) {}
  template <class T>
  __device__ __forceinline__ T from_left(T last, T before_last) const {
    return __shfl_sync(all_lanes, short_here_ ? before_last : last, left_, Form::config.lanes);
  }
  template <class T>
  __device__ __forceinline__ T from_right(T first, T second) const {
    return of_right(short_left_ ? second : first);
  }
  template <class T>
  __device__ __forceinline__ T of_right(T value) const {
    return __shfl_sync(all_lanes, value, right_, Form::config.lanes);
  }

 private:
  int left_, right_;
  bool short_here_, short_left_;
};

/// How the warps of a block meet in mid-sweep: the two of a seam alone, where that pays, or all.
template <class Form>
class SeamBarriers {
 public:
  /// remote: the early seam leads to another block.
  __device__ __forceinline__ SeamBarriers(int warp, int warps, bool odd, bool remote)
      : late_(1 + warps / 2 + warp / 2),  // 0 is that of __syncthreads
        early_(1 + (odd ? warp + 1 == warps ? 0 : (warp + 1) / 2 : warp / 2)),
        has_early_(!remote) {}
  __device__ __forceinline__ void meet() const {
    if constexpr (pairwise) {
      two_warps_meet_if(late_, true);
      two_warps_meet_if(early_, has_early_);
    } else {
      __syncthreads();
    }
  }

 private:
  static constexpr bool pairwise =
      Form::config.pairwise && Form::config.lanes == 32 && Form::config.threads / 32 <= 14;
  /// Without a branch: a branch would part what is scheduled before it from what follows.
  static __device__ __forceinline__ void two_warps_meet_if(int barrier, bool meet) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %1, 0;\n@p bar.sync %0, 64;\n}" ::"r"(barrier),
                 "r"(int(meet))
                 : "memory");
  }
  int late_, early_;
  bool has_early_;
};

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
