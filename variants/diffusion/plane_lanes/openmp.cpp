// SPDX-License-Identifier: BSD-3-Clause
// plane_lanes, OpenMP: one thread takes a plane through all steps in its core's cache, columns dealt out over
// the lanes of its vectors.
#include <omp.h>

#include "algorithm.hpp"
#include "backend/openmp/diffusion/field.hpp"

namespace parity::openmp {
namespace {

using namespace parity::diffusion::plane_lanes;

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
