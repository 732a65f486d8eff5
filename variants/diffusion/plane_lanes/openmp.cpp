// SPDX-License-Identifier: BSD-3-Clause
// diffusion/openmp-plane-lanes: one thread takes a plane through all steps in its core's cache, columns dealt
// out over the lanes of its vectors. Twin of kokkos-plane-lanes.
#include <omp.h>

#include "lane_plane.hpp"
#include "backend/openmp/diffusion/field.hpp"

namespace parity::openmp {
namespace {

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
      LanePlane<T> plane(rooms_.data() + room_ * omp_get_thread_num(), p.nx, p.ny, stages_);
#pragma omp for schedule(static)
      for (std::int64_t k = 0; k < p.nz; ++k) {
        T* const values = this->in_.data() + k * p.ny * p.nx;
        plane.load(values);
        plane.advance(p.steps, T(p.alpha));
        plane.store(values);
      }
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

namespace parity::diffusion {

Entry plane_lanes_openmp() {
  Entry e;
  e.tunings = {"4", "1", "2", "3", "8"};
  e.tuning_axes = "steps a pass";
  e.refuse = refuse_lane_plane;
  e.extra_bytes = [](const Problem& p) { return lane_room_bytes(p, omp_get_max_threads()); };
  e.model = [](const Problem& p) { return cost_resident(p, 1, two_stage_flops); };
  return with_factories<openmp::PlaneLanes>(e);
}

}  // namespace parity::diffusion
