// SPDX-License-Identifier: BSD-3-Clause
// diffusion/cuda-resident: each plane stays in the registers of a group of blocks all over the GPU for all
// steps, as many planes at a time as fit, in one cooperative launch; rows cross to the next block through the
// L2 cache.
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

Entry cuda_resident() {
  Entry e;
  e.tunings = {"8", "4"};
  e.tuning_axes = "warps of a block";
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 8 && t[0] != 4) return "blocks have 4 or 8 warps here";
    return p.precision == Precision::f32 ? cuda::why_not_resident<float>(p, t[0])
                                         : cuda::why_not_resident<double>(p, t[0]);
  };
  e.model = [](const Problem& p) {
    harness::CostModel m = cost_resident(p, 1, pair_flops);
    m.barriers = true;
    return m;
  };
  // The mailboxes of a block: two, of eight messages of two rows of 32 lanes, of at most 400 blocks.
  e.extra_bytes = [](const Problem& p) {
    const double lanes = p.nx <= 256 ? 256 : p.nx <= 512 ? 512 : 1024;
    return 400 * 2 * 8 * 2 * lanes * double(runtime::bytes_of(p.precision));
  };
  e.for_comparison = true;  // no GPU has run it as it is yet
  return with_factories<cuda::Resident>(e);
}

}  // namespace parity::diffusion
