// SPDX-License-Identifier: BSD-3-Clause
// temporal_exchange, CUDA, tuned: runs the kernel of cuda-temporal-tuned, 16 steps a pass with one chain of
// warps per block, 8 with two. Tiles end at the part's edges and read the halo, so that a part costs as much
// as the same planes alone. Several groups leave multiprocessors to each other's packing and messages.
#include "algorithm.hpp"
#include "backend/cuda/diffusion/exchange.cuh"
#include "runtime/exchange_paths.hpp"

namespace parity::cuda {
namespace {

Tuning chains_of(const Tuning& t) { return {{t[0] == 16 ? 1 : 2}}; }

template <class T>
class RankPart : public PartOnDevice<T> {
  using PartOnDevice<T>::f_;

 public:
  RankPart(const Problem& part, const Margin& depth, const Tuning& t)
      : PartOnDevice<T>([&] { return stream_fields<T>(part, chains_of(t), depth); }),
        depth_(depth),
        pass_(stream_passes<T>(f_, chains_of(t), depth,
                               depth.x + depth.y > 0 && t[1] > 1 ? runtime::multiprocessors_beside : 0)) {}
  FieldShape shape() const {
    return {depth_.y * f_.pitch + f_.lead(), f_.pitch, f_.pitch * (f_.p.ny + 2 * depth_.y)};
  }
  int pass(int at, int left) { return pass_(at, left); }

 private:
  const Margin depth_;
  const std::function<int(int, int)> pass_;
};

}  // namespace
}  // namespace parity::cuda

namespace parity::diffusion::temporal_exchange {

Entry cuda_tuned() {
  Entry e = algorithm();
  e.tunings = {"16x2", "8x2", "16x1", "8x1", "16x4", "8x4"};
  e.refuse = [](const Problem& p, const Tuning& t) -> std::optional<std::string> {
    if (t[0] != 16 && t[0] != 8) return "a pass has 16 steps (one chain of warps in a block) or 8 (two)";
    const Margin depth = depth_of(p, Form::form, t);
    if (const auto why = refuse_small_parts(p, depth)) return why;
    return cuda::why_no_stream(as_plane(part_of(p, 0).local, depth), cuda::chains_of(t));
  };
  e.model = [](const Problem& p, const Tuning& t) {
    return cost_of_passes(p, EvenPasses(p.steps, t[0]).count(), 3.0 * t[1], flops_by_pairs(p));
  };
  return with_exchange<cuda::RankPart, Form>(e);
}

}  // namespace parity::diffusion::temporal_exchange
