// SPDX-License-Identifier: BSD-3-Clause
// plane_lanes, Kokkos: on a CPU a team of one takes a plane through all steps in its core's cache, columns
// dealt out over the lanes of its vectors.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"

namespace parity::diffusion::plane_lanes {
namespace {

template <class T>
struct PlaneLanes {
  Fields<T> f;
  int stages;
  PlaneLanes(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), stages(steps_a_pass(p, t)) {}
  int operator()() const {
    if constexpr (!teams_on_device) advance_all();  // a GPU's compiler knows no vectors
    return 0;
  }
  void advance_all() const {
    const std::int64_t values = LanePlane<T>::room(f.p.nx, f.p.ny, stages), nx = f.p.nx, ny = f.p.ny,
                       steps = f.p.steps;
    const int level = scratch_level(scratch_bytes<T>(values)), most_stages = stages;
    TeamPolicy policy(f.exec, int(f.p.nz), 1, 1);
    policy.set_scratch_size(level, Kokkos::PerTeam(int(scratch_bytes<T>(values))));
    const T alpha = T(f.p.alpha);
    T* const field = f[0].data();
    Kokkos::parallel_for(
        "parity::diffusion::plane_lanes", policy, KOKKOS_LAMBDA(const Team& team) {
          const LanePlane<T> plane(team_scratch<T>(team, level, values), nx, ny, most_stages);
          advance_plane(plane, field + std::int64_t(team.league_rank()) * ny * nx, steps, alpha);
        });
  }
};

std::optional<std::string> refuse(const Problem& p, const Tuning& t) {
  if (const auto reason = refuse_lane_plane(p, t)) return reason;
  const int stages = steps_a_pass(p, t);
  const std::int64_t bytes = p.precision == Precision::f32
                                 ? scratch_bytes<float>(LanePlane<float>::room(p.nx, p.ny, stages))
                                 : scratch_bytes<double>(LanePlane<double>::room(p.nx, p.ny, stages));
  if (bytes > std::numeric_limits<int>::max() || scratch_level(bytes) < 0)
    return "a plane of " + std::to_string(p.nx) + "x" + std::to_string(p.ny) +
           " does not fit Kokkos' scratch memory";
  return refuse_many_points(p, t);
}

}  // namespace

Entry kokkos() {
  Entry e = with_tunings(Entry(), {"4"}, {"4", "1", "2", "3", "8"}, "steps a pass");
  if (compat::exec_is_device())
    e.unavailable = "its lanes are those of a processor's vectors, and this Kokkos runs on a GPU";
  e.refuse = refuse;
  e.extra_bytes = [](const Problem& p) {  // Kokkos keeps scratch memory for every thread
    Problem every = p;
    every.nz = compat::concurrency(Exec());
    return lane_room_bytes(every, int(every.nz));
  };
  e.model = cost;
  return with_run<PlaneLanes>(e);
}

}  // namespace parity::diffusion::plane_lanes
