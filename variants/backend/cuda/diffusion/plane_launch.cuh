// SPDX-License-Identifier: BSD-3-Clause
// Common parts of kernels that keep planes in registers: a lane's part of its plane, its neighbours in the
// row, the barriers of its seams; then the choice of a kernel and its launch. Form: a PlaneForm.
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

/// A file that takes minutes to compile is compiled twice: without PARITY_IN_DOUBLE for float and the entry,
/// with it for double.
#ifdef PARITY_IN_DOUBLE
#define PARITY_INSTANTIATE(Class) template class Class<double>;
#else
#define PARITY_INSTANTIATE(Class) \
  template class Class<float>;    \
  extern template class Class<double>;
#endif

namespace parity::cuda {

/// One of a variant's configurations as a type. Configs::all[] begins with the narrowest.
template <class Configs, int n>
struct PlaneForm {
  static constexpr PlaneConfig config = Configs::all[n];
};

template <class Configs, class Use, int... n>
bool find_form(const Use& use, std::integer_sequence<int, n...>) {
  return (use(PlaneForm<Configs, n>()) || ...);
}
/// Calls use(form) for each form in order until it returns true.
template <class Configs, class Use>
void find_form(const Use& use) {
  find_form<Configs>(use, std::make_integer_sequence<int, int(std::size(Configs::all))>());
}

/// Reads the index again, so that the compiler does not keep values derived from it in registers over a loop.
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

/// A lane's position in its group, block and launch, and its part of the plane.
template <class Form, bool cluster, bool ragged>
struct Place {
  static constexpr int group_rows = Form::config.rows, lane_columns = Form::config.columns,
                       group_lanes = Form::config.lanes;
  /// True if a lane recomputes its Place after the steps instead of keeping it, which frees registers. By
  /// measurement this pays in rows of 32 lanes with fewer than 16 columns each.
  static constexpr bool reads_again = group_lanes == 32 && lane_columns < 16;
  int lx, g, rank, turn;  ///< lane of the group, group of the block, block of the plane, turn of the launch
  bool odd, active;       ///< the group's number is odd; the lane has columns
  int lanes;              ///< active lanes of a group
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
  /// The same Place after a loop over steps. Keeping it would take registers that the loop's schedule needs.
  __device__ __forceinline__ Place again(const PlaneDivision& d) const {
    if constexpr (reads_again) {
      const int thread = thread_read_again();
      return Place(d, thread / 32, thread % 32, block_read_again());
    } else {
      return *this;
    }
  }

  /// Offset of the group's row r in its plane.
  __device__ __forceinline__ std::size_t row(int r) const {
    const int j = ragged ? rows.of_plane(r)
                  : odd  ? rows.share.first + group_rows - 1 - r
                         : rows.share.first + r;
    return std::size_t(j) * pitch;
  }
  /// True if row r is a copy of the partner group's row.
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

/// Exchange between neighbouring lanes in the ring of a row. A lane gives its last own column to its right
/// neighbour, and the first column that its left neighbour lacks to its left neighbour.
template <class Form, bool ragged>
class RowRing {
 public:
  template <bool cluster>
  __device__ __forceinline__ RowRing(const Place<Form, cluster, ragged>& here)
      // In whole rows the shuffle itself wraps around within its width, as the plane does.
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

/// Barriers of a block's warps in mid-sweep: the two warps of a seam (if pairwise), or all warps.
template <class Form>
class SeamBarriers {
 public:
  /// remote: the early seam leads to another block.
  __device__ __forceinline__ SeamBarriers(int warp, int warps, bool odd, bool remote)
      : late_(1 + warps / 2 + warp / 2),  // barrier 0 belongs to __syncthreads
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
  /// Predicated, because the compiler does not schedule instructions across a branch.
  static __device__ __forceinline__ void two_warps_meet_if(int barrier, bool meet) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %1, 0;\n@p bar.sync %0, 64;\n}" ::"r"(barrier),
                 "r"(int(meet))
                 : "memory");
  }
  int late_, early_;
  bool has_early_;
};

/// Applies a deferred factor to the rows of a lane and to the two rows beyond its early seam.
template <class T, int R, int C>
__device__ __forceinline__ void scale_rows(T (&rows)[R][C], T (&early)[2][C], T factor) {
#pragma unroll
  for (int i = 0; i < C; ++i) {
#pragma unroll
    for (int r = 0; r < R; ++r) rows[r][i] *= factor;
    early[0][i] *= factor, early[1][i] *= factor;
  }
}

/// A kernel for the planes of a problem.
template <class Kernel>
struct PlaneLaunch {
  Kernel kernel = nullptr;  ///< null if no form fits
  PlaneDivision d{};
  int threads = 0, shared_bytes = 0;
  bool defers_scaling = false;  ///< the form defers scaling if alpha is DeferredScale's
  const void* function() const { return reinterpret_cast<const void*>(kernel); }

  /// The reason why this GPU has too little shared memory for it; nullopt if it has enough.
  std::optional<std::string> why_not_shared() const {
    const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    if (shared_bytes <= most) return std::nullopt;
    return "its block needs " + std::to_string(shared_bytes / 1024) +
           " KiB of shared memory, this GPU's have " + std::to_string(most / 1024) + " at most";
  }
  /// Number of resident blocks of the kernel on the GPU.
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
