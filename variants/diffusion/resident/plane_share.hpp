// SPDX-License-Identifier: BSD-3-Clause
// Distributes planes over the registers of teams for kokkos-resident. A group of lanes has whole rows; even
// and odd groups sweep towards each other. A pair of groups may own a few rows fewer than both hold, whose
// last ones are then copies; lanes may own one column fewer.
#pragma once
#include <limits>

#include "diffusion/problem.hpp"
#include "host_device.hpp"

namespace parity::diffusion {

/// Data that crosses a late seam (see kokkos.cpp), and the team's barriers per sweep.
enum class Late {
  rows,           ///< two rows, in two slots in turn; one barrier
  rows_one_slot,  ///< two rows; two barriers
  laplacian       ///< a row, and the Laplacian of the one before it; two barriers, no row is computed twice
};

/// Compile-time parameters of a kernel. The last ones were chosen for each form by measurement.
struct ResidentForm {
  int rows, columns, lanes;  ///< rows and columns per lane; at most as many lanes per row
  int warps, teams;          ///< at most: warps per team, teams per multiprocessor
  bool shared;               ///< resident teams share a plane; otherwise, each team has one
  bool deferred;             ///< DeferredScale, for alpha = 1/32
  Late late;
  int hand;             ///< number of the two sums of pairs at a row's end that the next lane provides
  bool assumes;         ///< argument of compat::team_barrier
  int turns;            ///< argument of Mailbox
  int gap;              ///< additional rows between two barriers
  bool ragged = false;  ///< the plane need not fill the form

  constexpr int groups() const { return warps * (32 / lanes); }
  /// The same form for any alpha, and for any plane.
  constexpr ResidentForm plain() const {
    return {rows, columns, lanes, warps, teams, shared, false, late, hand, assumes, turns, gap};
  }
  constexpr ResidentForm any_plane() const {
    return {rows, columns, lanes, warps, teams, shared, false, rows < 8 ? Late::rows : Late::rows_one_slot,
            0,    assumes, turns, 0,     true};
  }
  // Values in scratch: slots of two rows of each group.
  constexpr int row() const { return lanes * columns; }
  constexpr int late_slots() const { return late == Late::rows ? 2 : 1; }
  constexpr int late_size() const { return late_slots() * groups() * 2 * row(); }
  constexpr int early_groups() const { return shared ? warps - 2 : groups(); }
  constexpr int early_slots(int value_bytes) const {
    return late == Late::rows || (late == Late::laplacian &&
                                  (late_size() + 4 * early_groups() * row()) * value_bytes <= room())
               ? 2
               : 1;
  }
  /// Bytes for slots in a team's scratch of 40936 bytes (before Kokkos 5.2); each thread has a word, too.
  constexpr int room() const { return 40936 - 256 - 32 * warps * 4; }
  constexpr int scratch_bytes(int value_bytes) const {
    return (late_size() + early_slots(value_bytes) * early_groups() * 2 * row()) * value_bytes +
           32 * warps * 4;
  }
};

/// Forms of the kernel of kokkos.cpp, for planes from small to large; nvcc 11.8 needs their number.
template <class T>
struct ResidentForms {
  static constexpr ResidentForm all[5] = {{4, 2, 16, 4, 1, false, false, Late::rows, 0, true, 2, 0},
                                          {8, 4, 16, 4, 1, false, true, Late::rows, 0, true, 2, 0},
                                          {16, 4, 32, 8, 1, false, true, Late::rows_one_slot, 2, true, 2, 0},
                                          {16, 8, 32, 8, 1, true, true, Late::laplacian, 0, false, 32, 2},
                                          {8, 16, 32, 4, 2, true, true, Late::laplacian, 2, true, 16, -1}};
};
template <>
struct ResidentForms<double> {
  static constexpr ResidentForm all[4] = {{4, 2, 16, 4, 1, false, true, Late::rows, 0, true, 2, 0},
                                          {8, 4, 16, 4, 1, false, true, Late::rows, 0, true, 2, 0},
                                          {16, 4, 32, 8, 1, false, true, Late::laplacian, 1, false, 2, 0},
                                          {8, 8, 32, 4, 2, true, true, Late::laplacian, 1, false, 16, 0}};
};

/// Form of the kernel of late_seams.hpp, for planes of 32 x columns columns. A team's first and last warps
/// are outer ones.
template <class T, bool deferred>
struct LateSeamForm {
  static constexpr bool in_float = sizeof(T) == 4;
  static constexpr int columns = 4, warps = in_float ? 4 : 8;
  static constexpr int inner = in_float ? (deferred ? 20 : 18) : 8,  ///< rows that a warp computes
      outer = in_float ? (deferred ? 14 : 16) : 8;
  static constexpr int along = in_float ? 2 : 0;  ///< rows of the other team that an outer warp computes, too
  static constexpr int meetings =
      in_float ? 1 : 2;  ///< barriers of the team per step: one with two slots in scratch, two with one
  static constexpr int fetch = in_float ? 1 : 4;  ///< row before which an outer warp fetches a message
  static constexpr bool fetches_in_loop = in_float;
  static constexpr int rows() { return 2 * (outer - along) + (warps - 2) * inner; }  ///< per team
  static constexpr int slots() { return meetings == 1 ? 2 : 1; }
  /// Slots of two rows, and a word of each thread.
  static constexpr int scratch_bytes() {
    return slots() * (2 * warps - 2) * 2 * 32 * columns * int(sizeof(T)) + 32 * warps * 4;
  }
};

/// Form of the kernel of swapped_slots.hpp. Each team has a multiprocessor.
struct SwappedSlotForm {
  int columns, value_bytes;  ///< columns per lane
  static constexpr int warps = 8;
  constexpr int row() const { return 32 * columns; }
  constexpr int rows() const { return 512 / (columns * value_bytes); }  ///< per lane: 128 of its registers
  constexpr bool hands_laplacian() const { return rows() == 8; }        ///< over a late seam, with one row
  constexpr int nest() const { return hands_laplacian() ? 16 : 32; }    ///< steps between fences
  constexpr int box_words() const { return 2 * nest() * 2 * row() * value_bytes / 8; }
  constexpr int slots_size() const { return (warps * (hands_laplacian() ? 1 : 2) + (warps - 2) * 2) * row(); }
  constexpr int scratch_bytes() const { return slots_size() * value_bytes + 32 * warps * 4; }
};

/// Resources of the machine.
struct ResidentRoom {
  int multiprocessors;
  std::int64_t scratch_of_multiprocessor, scratch_of_team;  ///< the latter: per team of eight warps
};

/// Kernel of a share: one of ResidentForms, or the only one of another file.
enum class ResidentKernel { of_forms, late_seams, swapped_slots };

/// Distribution of planes over teams. form: -1 if no form takes such planes. cost: to compare shares.
struct PlaneShare {
  int form = -1;
  int lanes = 0;       ///< per row
  int groups = 0;      ///< per team
  int teams = 0;       ///< per plane
  int planes = 0;      ///< processed at the same time
  bool whole = false;  ///< the plane fills its lanes and groups
  ResidentKernel kernel = ResidentKernel::of_forms;
  double cost = std::numeric_limits<double>::infinity();
  int pairs() const { return teams * groups / 2; }
  /// Sets 'planes' so that all batches are equal, for teams that wait for each other; returns their number.
  std::int64_t batch(std::int64_t nz, std::int64_t resident) {
    const std::int64_t at_once = resident / teams, batches = (nz + at_once - 1) / at_once;
    planes = int((nz + batches - 1) / batches);
    return batches;
  }
};

inline double clocks_of_step(double warps_of_scheduler, double rows, int columns, int value_bytes) {
  return warps_of_scheduler * rows * columns * (value_bytes == 4 ? 9.5 : 21) + 150;
}

/// A pair of groups owns f.rows + 2 to 2 f.rows rows, so that the partner's last two rows are its own.
inline PlaneShare share_plane(const ResidentForm& f, int value_bytes, const Problem& p, int pairs_of_team,
                              int most_teams, const ResidentRoom& room) {
  PlaneShare s;
  s.lanes = int((p.nx + f.columns - 1) / f.columns);
  s.groups = 2 * pairs_of_team;
  const std::int64_t rows = 2 * f.rows * pairs_of_team, teams = (p.ny + rows - 1) / rows;
  s.teams = int(f.shared ? std::max<std::int64_t>(2, teams) : teams);
  s.whole = p.nx == f.row() && p.ny == s.teams * rows;
  const std::int64_t resident = std::int64_t(room.multiprocessors) * f.teams;
  if (s.lanes > f.lanes || p.nx < std::int64_t(s.lanes) * (f.columns - 1) || p.ny / s.pairs() < f.rows + 2 ||
      s.teams > (f.shared ? std::min<std::int64_t>(resident, most_teams) : 1))
    return {};
  const auto fits = [&](const ResidentForm& used) {
    return f.teams * (used.scratch_bytes(value_bytes) + 2048) <= room.scratch_of_multiprocessor;
  };
  s.whole = s.whole && fits(f);
  if (!s.whole && !fits(f.any_plane())) return {};
  const std::int64_t at_once = resident / s.teams, batches = s.batch(p.nz, resident);
  if (!f.shared) s.planes = int(p.nz);
  // Four schedulers share the warps. A lane computes one or two additional rows; a step of shared planes
  // takes at least as long as the other team's rows need.
  const std::int64_t working = std::min<std::int64_t>(
                         f.teams, (std::min(p.nz, at_once) * s.teams + room.multiprocessors - 1) /
                                      room.multiprocessors),
                     warps = (s.groups * f.lanes / 32 * working + 3) / 4;
  const double clocks = clocks_of_step(double(warps), f.rows + 1.5, f.columns, value_bytes);
  s.cost = double(batches) * (f.shared ? std::max(clocks, 2000.0) : clocks);
  return s;
}

/// Share of the kernel of late_seams.hpp. Each team has a multiprocessor; rows of the other team and messages
/// take as long as three and a half rows.
template <class T>
PlaneShare share_at_late_seams(const Problem& p, int most_teams, const ResidentRoom& room) {
  using F = LateSeamForm<T, true>;
  PlaneShare s;
  s.lanes = 32, s.groups = F::warps, s.teams = int(std::min<std::int64_t>(p.ny / F::rows(), most_teams + 1));
  if (p.nx != 32 * F::columns || p.ny != std::int64_t(s.teams) * F::rows() || s.teams < 2 ||
      s.teams > std::min(room.multiprocessors, most_teams) ||
      F::scratch_bytes() + 2048 > room.scratch_of_multiprocessor)
    return {};
  s.form = 0, s.whole = true, s.kernel = ResidentKernel::late_seams;
  s.cost = double(s.batch(p.nz, room.multiprocessors)) *
           clocks_of_step(F::warps / 4, F::inner + 3.5, F::columns, int(sizeof(T)));
  return s;
}

/// Share of the kernel of swapped_slots.hpp, for alpha = 1/32. By measurement it takes 0.82 to 0.86 or 0.93
/// of the time of as many warps of the other kernels.
inline PlaneShare share_with_swapped_slots(const Problem& p, int value_bytes, int most_teams,
                                           const ResidentRoom& room) {
  if (p.nx != 256 && (p.nx != 512 || value_bytes > 4)) return {};
  const SwappedSlotForm f{int(p.nx / 32), value_bytes};
  const std::int64_t own = f.warps * f.rows(), teams = p.ny / own;
  if (p.ny % own != 0 || teams < 2 || teams > std::min(room.multiprocessors, most_teams) ||
      f.scratch_bytes() + 16 > room.scratch_of_team ||
      f.scratch_bytes() + 2048 > room.scratch_of_multiprocessor)
    return {};
  PlaneShare s;
  s.form = 0, s.whole = true, s.kernel = ResidentKernel::swapped_slots;
  s.lanes = 32, s.groups = f.warps, s.teams = int(teams);
  s.cost = (f.hands_laplacian() ? 0.86 : 0.93) * double(s.batch(p.nz, room.multiprocessors)) *
           clocks_of_step(f.warps / 4, f.rows() + 1.5, f.columns, value_bytes);
  return s;
}

/// The fastest share with any of some forms.
template <int n>
PlaneShare best_share(const ResidentForm (&forms)[n], int value_bytes, const Problem& p, int most_teams,
                      const ResidentRoom& room) {
  PlaneShare best;
  for (int f = 0; f < n; ++f)
    for (int pairs = 1; 2 * pairs <= forms[f].groups(); ++pairs) {
      const PlaneShare s = share_plane(forms[f], value_bytes, p, pairs, most_teams, room);
      if (s.cost >= best.cost) continue;
      best = s;
      best.form = f;
    }
  return best;
}

}  // namespace parity::diffusion
