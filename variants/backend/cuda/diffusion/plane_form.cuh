// SPDX-License-Identifier: BSD-3-Clause
// Forms of the kernels that keep a plane in registers for all steps.
#pragma once
#include "lanes.cuh"
#include "mailbox.cuh"
#include "plane_division.hpp"
#include "seam_schedule.hpp"

namespace parity::cuda {

/// A form of the kernel. group_lanes: 16 or 32, of which a ragged plane may leave some idle. One with an odd
/// number of rows is for ragged planes alone. by_memory: rows get to another block through the GPU's memory,
/// in practice its L2 cache, since the blocks are no cluster; else by stores that count on a barrier of the
/// receiver.
template <class T, int rows_, int columns_, int group_lanes_, int threads_, bool pairwise_ = true,
          bool by_memory_ = false>
struct PlaneForm {
  using Value = T;
  static constexpr bool pairwise = pairwise_;  ///< warps meet in twos and not as a block
  static constexpr int rows = rows_, columns = columns_, group_lanes = group_lanes_, threads = threads_;
  static constexpr bool by_memory = by_memory_;
  static constexpr int groups_a_warp = 32 / group_lanes, most_groups = threads / 32 * groups_a_warp;
  static constexpr GroupShape shape{rows, columns, group_lanes, most_groups};
  static constexpr bool whole_planes = rows % 2 == 0;
  /// Whether a scale that can be put off is: not where one warp a scheduler waits for its own results, which
  /// by measurement come sooner from plain sums by pairs (8 x 4 points of a lane in float, 4 x 2 in both).
  static constexpr bool defers =
      !(group_lanes == 16 && rows * columns * int(sizeof(T)) <= 32 * int(sizeof(float)));
  /// Whether ragged planes have DeferredScale, too: larger forms take minutes to compile as it is.
  static constexpr bool defers_ragged = defers && rows * columns <= 72;
  /// Whether rows are long: their sums take so many registers that the first and the last row of a group wait
  /// in shared memory while they are not at work.
  static constexpr bool parks = columns * int(sizeof(T)) > 64;
  /// Whether what a lane has of its plane is read again after the steps, and not kept over them: that frees
  /// registers. By measurement it pays in rows of 32 lanes with fewer than 16 columns each.
  static constexpr bool reads_again = group_lanes == 32 && columns < 16;
  /// Whether what goes to another block goes at once, behind one branch, or access by access; by measurement,
  /// too.
  static constexpr bool sends_together = sizeof(T) == 8 || rows > 8;
  using Row = SharedRow<T, columns, group_lanes>;
  using Box = Mailbox<T, columns>;
  /// Whether plane_seams, which hands Laplacians over (less work, two exchanges in a step), takes its planes,
  /// and not plane_groups, which computes them on both sides of a seam (one). It pays where rows are long;
  /// where they are not, or that has not been measured, it does not.
  __host__ __device__ static constexpr bool hands_over(bool ragged, bool deferred) {
    return by_memory || (rows == 8 && columns * sizeof(T) == 64 && !ragged && deferred);
  }
  static constexpr int slot = 2 * Row::size;  ///< of plane_groups: elements of the two rows of an exchange
  __host__ __device__ static constexpr int early_slots(bool cluster) {
    return most_groups + (cluster ? 2 : 0);
  }
  /// Enough for either kernel.
  __host__ __device__ static constexpr int shared_bytes(bool cluster) {
    return by_memory
               ? (SeamSchedule{rows, true}.slots() + (parks ? 2 : 0)) * most_groups * Row::size *
                     int(sizeof(T))
               : (2 * early_slots(cluster) + 2 * most_groups) * slot * int(sizeof(T)) + (cluster ? 64 : 0);
  }
};

}  // namespace parity::cuda
