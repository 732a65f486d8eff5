// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-plane-registers: one flat team a plane, all steps in one launch; the plane is in the
// registers of its threads, columns are handed on by shuffles, outer rows through scratch memory. The
// smallest planes are in those of one warp.
#include "backend/kokkos/diffusion/register_tiles.hpp"
#include "backend/kokkos/diffusion/whole.hpp"

namespace parity::diffusion {
namespace {

/// Tuning 1x1: what suits the plane.
bool is_free(const Tuning& t) { return t[0] == 1 && t[1] == 1; }

TileShape shape_of(const Problem& p, const Tuning& t) {
  return is_free(t) ? shape_for_plane(p) : TileShape{t[0], t[1], int(p.nx) / t[1], int(p.ny) / t[0]};
}

TileLaunch launch_of(const Problem& p, const Tuning& t) { return {shape_of(p, t), p.steps, /*margin=*/0}; }

template <class T>
struct TeamRegisters {
  Fields<T> f;
  Tuning tuning;
  TeamRegisters(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tuning(t) {}
  int operator()() const {
    const char* const label = "parity::diffusion::team_registers";
    if (is_free(tuning) && fits_a_warp(f.p))
      advance_planes_in_warps<T>(f.exec, label, f.p, f[0].data(), f[0].data());
    else
      advance_tiles<T>(f.exec, label, f.p, launch_of(f.p, tuning), f[0].data(), f[0].data());
    return 0;
  }
};

}  // namespace

Entry plane_registers_kokkos() {
  Entry e =
      kokkos_entry({"1x1", "16x4", "8x4", "4x4", "8x2", "4x2", "4x1"}, {"1x1"},
                   "rows x columns of a thread; 1x1: what suits the plane");
  if (!compat::exec_is_device())
    e.unavailable = "its planes are in the registers of a GPU's threads, and this Kokkos runs on the host";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (const auto reason = refuse_many_points(p, t)) return reason;
    if (is_free(t) && fits_a_warp(p)) return std::nullopt;
    if (is_free(t) && shape_for_plane(p).rings == 0)
      return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
             " points does not divide into equal threads, or not into few enough for a team";
    if (p.nx % t[1] != 0 || p.ny % t[0] != 0)
      return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
             " points does not divide into threads of " + std::to_string(t[1]) + " columns and " +
             std::to_string(t[0]) + " rows";
    return shape_of(p, t).refuse(p.precision);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    const bool puts_off = (is_free(t) && fits_a_warp(p)) || launch_of(p, t).puts_off(p.precision);
    return cost_resident(p, 1, flops_by_pairs(p, puts_off));
  };
  return with_run<TeamRegisters>(e);
}

}  // namespace parity::diffusion
