// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-resident: each plane stays in the registers of a group of blocks all over the GPU for all
// steps, as many planes at a time as fit, in one cooperative launch; rows cross to the next block through the
// L2 cache.
#include <algorithm>

#include "resident.cuh"

namespace parity::cuda {
namespace {

template <class T>
class Resident : public PlanesAtOnce<T> {
 public:
  Resident(const Problem& p, const Tuning& t) : PlanesAtOnce<T>(p, start_resident<T>(p, t[0])) {}
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion {

Entry resident_cuda() {
  Entry e;
  e.tunings = {"8", "4"};
  e.tuning_axes = "warps of a block";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 8 && t[0] != 4) return "blocks have 4 or 8 warps here";
    return p.precision == Precision::f32 ? cuda::why_not_resident<float>(p, t[0])
                                         : cuda::why_not_resident<double>(p, t[0]);
  };
  e.model = [](const Problem& p, const Tuning& t) {
    const bool puts_off = p.precision == Precision::f32 ? cuda::puts_off_in_resident<float>(p, t[0])
                                                        : cuda::puts_off_in_resident<double>(p, t[0]);
    harness::CostModel m = cost_resident(p, 1, flops_by_pairs(p, puts_off));
    m.barriers = true;
    return m;
  };
  e.extra_bytes = [](const Problem& p) {  // of the tuning that needs more
    double most = 0;
    for (const int warps : {8, 4})
      most = std::max(most, p.precision == Precision::f32 ? cuda::resident_box_bytes<float>(p, warps)
                                                          : cuda::resident_box_bytes<double>(p, warps));
    return most;
  };
  return with_factories<cuda::Resident>(e);
}

}  // namespace parity::diffusion
