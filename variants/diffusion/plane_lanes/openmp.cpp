// SPDX-License-Identifier: BSD-3-Clause
// plane_lanes, OpenMP: one thread takes a plane through all steps in its core's cache, columns dealt out over
// the lanes of its vectors.
#include <omp.h>

#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"

namespace parity::openmp {
namespace {

using namespace parity::diffusion::plane_lanes;

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
class PlaneLanes : public FieldPair<T> {
 public:
  PlaneLanes(const Problem& p, const Tuning& t)
      : FieldPair<T>(p, 0),
        stages_(steps_a_pass(p, t)),
        room_(LanePlane<T>::room(p.nx, p.ny, stages_)),
        threads_(int(std::min<std::int64_t>(omp_get_max_threads(), p.nz))),
        rooms_(room_ * threads_) {}

  void load(const T* field) override {
    FieldPair<T>::load(field);
    rooms_.fill(poison<T>);
  }
  void advance() override {
    const Problem& p = this->p_;
#pragma omp parallel num_threads(threads_)
    {
      const LanePlane<T> plane(rooms_.data() + room_ * omp_get_thread_num(), p.nx, p.ny, stages_);
#pragma omp for schedule(static)
      for (std::int64_t k = 0; k < p.nz; ++k)
        advance_plane(plane, this->in_.data() + k * p.ny * p.nx, p.steps, T(p.alpha));
    }
  }

 private:
  int stages_;
  std::int64_t room_;
  int threads_;  ///< no more than there are planes
  runtime::HostArray<T> rooms_;
};

}  // namespace
}  // namespace parity::openmp

namespace parity::diffusion::plane_lanes {

Entry openmp() {
  Entry e;
  e.tunings = {"4", "1", "2", "3", "8"};
  e.tuning_axes = "steps a pass";
  e.refuse = plane_lanes::refuse_lane_plane;
  e.extra_bytes = [](const Problem& p) { return plane_lanes::lane_room_bytes(p, omp_get_max_threads()); };
  e.model = plane_lanes::cost;
  return with_factories<openmp::PlaneLanes>(e);
}

}  // namespace parity::diffusion::plane_lanes
