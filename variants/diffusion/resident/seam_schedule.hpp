// SPDX-License-Identifier: BSD-3-Clause
// When cuda-resident exchanges what, and in which slots: constants of the kernel that a host can follow, too.
#pragma once
#include "backend/cuda/diffusion/plane_division.hpp"

namespace parity::cuda {

/// Of groups with so many rows. ragged: groups may lack some, and send their Laplacian over a late seam as
/// early as at their row rows - 1 - missing.
struct SeamSchedule {
  int rows;
  bool ragged;

  /// The rows before which warps meet.
  PARITY_INLINE constexpr int first_meeting() const { return rows < 8 ? 2 : (rows + 1) / 3; }
  PARITY_INLINE constexpr int second_meeting() const {
    return first_meeting() + (rows < 8 ? 1 : rows == 8 ? 4 : (rows + 1) / 3);  // 4 by measurement
  }
  /// The row whose Laplacian goes over the late seam, and which goes itself at the first meeting.
  PARITY_INLINE constexpr int sent_late(int missing) const { return rows - 1 - missing; }

  /// Slots of a group: the early row, its Laplacian, the late row, its Laplacians.
  static constexpr int early_row = 0, early_laplacian = 1, late_row = 2, late_laplacians = 3;
  /// A Laplacian of the late seam is read after the first meeting of the next step. Where one could be sent
  /// before the second meeting, that could be before the partner has read the one before: steps take turns in
  /// two slots then.
  PARITY_INLINE constexpr int turns() const {
    const int most_missing = ragged ? 2 * PlaneConfig{rows, 0}.most_short_rows() : 0;
    return sent_late(most_missing) < second_meeting() ? 2 : 1;
  }
  PARITY_INLINE constexpr int late_laplacian(int step) const {
    return late_laplacians + (step & (turns() - 1));
  }
  PARITY_INLINE constexpr int slots() const { return late_laplacians + turns(); }
};

}  // namespace parity::cuda
