// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-plane-registers: a plane in the registers of one block through all steps, planes of 16 x 16
// in those of one warp; 1 launch, more where not all planes fit the GPU at a time (plane_turns.hpp). The form
// follows from the plane: there is nothing to tune.
#include "plane_registers.cuh"
#include "runtime/error.hpp"

namespace parity::cuda {
namespace {

template <class T>
class PlaneRegisters : public PlanesAtOnce<T> {
 public:
  PlaneRegisters(const Problem& p, const Tuning&) : PlanesAtOnce<T>(p, start_in_registers<T>(p)) {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry plane_registers_cuda() {
  Entry e;
  e.refuse = [](const Problem& p, const Tuning&) {
    return p.precision == Precision::f32 ? cuda::why_not_in_registers<float>(p)
                                         : cuda::why_not_in_registers<double>(p);
  };
  e.model = [](const Problem& p) {
    const bool puts_off = p.precision == Precision::f32 ? cuda::puts_off_in_registers<float>(p)
                                                        : cuda::puts_off_in_registers<double>(p);
    harness::CostModel m = cost_resident(p, 1, flops_by_pairs(p, puts_off));
    m.barriers = true;
    return m;
  };
  return with_factories<cuda::PlaneRegisters>(e);
}

}  // namespace parity::diffusion
