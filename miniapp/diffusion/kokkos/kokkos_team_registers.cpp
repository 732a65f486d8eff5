// SPDX-License-Identifier: BSD-3-Clause
// diffusion/kokkos-team-registers: one flat team a plane, all steps in one launch; the plane is in the
// registers of its threads, columns are handed on by shuffles, outer rows through scratch memory.
#include "diffusion/kokkos/register_tiles.hpp"
#include "diffusion/kokkos/whole.hpp"

namespace parity::diffusion {
namespace {

TileShape shape_of(const Problem& p, const Tuning& t) {
  return {t[0], t[1], int(p.nx) / t[1], int(p.ny) / t[0]};
}

template <class T>
struct TeamRegisters {
  Fields<T> f;
  Tuning tuning;
  TeamRegisters(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), tuning(t) {}
  int operator()() const {
    advance_tiles<T>(f.exec, "parity::diffusion::team_registers", f.p,
                     {shape_of(f.p, tuning), f.p.steps, /*margin=*/0}, f[0].data(), f[0].data());
    return 0;
  }
};

}  // namespace

Entry kokkos_team_registers() {
  Entry e = kokkos_entry(
      "kokkos-team-registers", "one team a plane, all steps in registers, lane shuffles in x",
      /*twin=*/"", {"16x4", "8x4", "4x4", "8x2", "4x2", "4x1"}, {"16x4"}, "rows x columns of a thread");
  if (!compat::exec_is_device())
    e.unavailable = "its planes are in the registers of a GPU's threads, and this Kokkos runs on the host";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (p.nx % t[1] != 0 || p.ny % t[0] != 0)
      return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
             " points does not divide into threads of " + std::to_string(t[1]) + " columns and " +
             std::to_string(t[0]) + " rows";
    if (const auto reason = refuse_many_points(p, t)) return reason;
    return shape_of(p, t).refuse(p.precision);
  };
  e.model = [](const Problem& p) { return cost_resident(p, 1, two_stage_flops); };
  return with_run<TeamRegisters>(e);
}

}  // namespace parity::diffusion
