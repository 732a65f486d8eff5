// SPDX-License-Identifier: BSD-3-Clause
// plane_lanes, Kokkos: on a CPU a team of one takes a plane through all steps in its core's cache, columns
// dealt out over the lanes of its vectors.
#include "algorithm.hpp"
#include "backend/kokkos/diffusion/team.hpp"
#include "backend/kokkos/diffusion/whole.hpp"

namespace parity::diffusion::plane_lanes {
namespace {

/// All steps of one plane, in place. Stage s makes row t - 2 s in tick t of a pass; the last makes rows 0 to
/// ny - 1, each one before it two more at both ends.
template <class T>
void advance_plane(LanePlane<T> p, T* plane, std::int64_t steps, T alpha) {
  using Values = LaneValues<T>;
  const std::int64_t nx = p.vectors * p.lanes;
  const Passes passes{steps, p.most_stages};
  for (std::int64_t j = 0; j < p.ny; ++j) p.template deal<true>(plane + j * nx, p.from + j * p.pitch);
  for (std::int64_t pass = 0; pass < passes.count(); ++pass) {
    const int stages = passes.steps_of(pass);
    for (std::int64_t t = -2 * stages; t < p.ny + 2 * (stages - 1); ++t)
      for (int s = 0; s < stages; ++s) {
        const std::int64_t r = t - 2 * s, first = -2 * (stages - 1 - s);
        if (r < first - 2) break;  // so have the stages after it
        Values* const laps = p.row_of(s, 3 + (r & 1));
        const Values *const laps_of_row = p.row_of(s, 4 - (r & 1)), *const row = p.input(s, r),
                            *const row1 = p.input(s, r + 1), *const row2 = p.input(s, r + 2);
        if (r < first)
          p.template row_of_stage<false>(row, row1, row2, laps, laps_of_row, Values(double(alpha)), nullptr);
        else
          p.template row_of_stage<true>(row, row1, row2, laps, laps_of_row, Values(double(alpha)),
                                        s + 1 < stages ? p.input(s + 1, r) : p.to + r * p.pitch);
      }
    std::swap(p.from, p.to);
  }
  for (std::int64_t j = 0; j < p.ny; ++j) p.template deal<false>(plane + j * nx, p.from + j * p.pitch);
}

template <class T>
struct AllPlanes {
  void operator()(const Exec& exec, const Problem& p, int stages, T* field) const {
    const std::int64_t values = LanePlane<T>::room(p.nx, p.ny, stages), nx = p.nx, ny = p.ny, steps = p.steps;
    const int level = scratch_level(scratch_bytes<T>(values));
    TeamPolicy policy(exec, int(p.nz), 1, 1);
    policy.set_scratch_size(level, Kokkos::PerTeam(int(scratch_bytes<T>(values))));
    const T alpha = T(p.alpha);
    Kokkos::parallel_for(
        "parity::diffusion::plane_lanes", policy, KOKKOS_LAMBDA(const Team& team) {
          const LanePlane<T> plane(team_scratch<T>(team, level, values), nx, ny, stages);
          advance_plane(plane, field + std::int64_t(team.league_rank()) * ny * nx, steps, alpha);
        });
  }
};
/// A GPU's compiler knows no vectors.
template <class T>
struct NoPlanes {
  void operator()(const Exec&, const Problem&, int, T*) const {}
};

template <class T>
struct PlaneLanes {
  Fields<T> f;
  int stages;
  PlaneLanes(const Problem& p, const Tuning& t) : f(Fields<T>::periodic(p)), stages(steps_a_pass(p, t)) {}
  int operator()() const {
    std::conditional_t<teams_on_device, NoPlanes<T>, AllPlanes<T>>()(f.exec, f.p, stages, f[0].data());
    return 0;
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
}  // namespace parity::diffusion::plane_lanes

namespace parity::diffusion::plane_lanes {

Entry kokkos() {
  using namespace plane_lanes;
  Entry e = kokkos_entry({"4"}, {"4", "1", "2", "3", "8"}, "steps a pass");
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
