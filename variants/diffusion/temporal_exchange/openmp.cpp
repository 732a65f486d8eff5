// SPDX-License-Identifier: BSD-3-Clause
// temporal_exchange, OpenMP: runs the passes of openmp-temporal.
#include "algorithm.hpp"
#include "backend/openmp/diffusion/exchange.hpp"

namespace parity::openmp {
namespace {

template <class T>
class RankPart : public PartInRows<T> {
 public:
  RankPart(const Problem& part, const Margin& depth, const Tuning& t)
      : PartInRows<T>(part, depth),
        pass_(temporal_pass<T>(temporal_exchange::as_plane(part, depth), steps_a_pass(part, t))) {}
  const FieldShape& shape() const { return this->shape_; }
  int pass(int at, int left) { return pass_(left, (*this)[at], (*this)[1 - at]); }

 private:
  const PassOf<T> pass_;
};

}  // namespace
}  // namespace parity::openmp

namespace parity::diffusion::temporal_exchange {

Entry openmp() {
  Entry e = algorithm();
  e.tunings = {"8x1", "4x1", "16x1", "3x2"};
  e.model = [](const Problem& p, const Tuning& t) {
    return cost_of_passes(p, Passes{p.steps, t[0]}.count(), 3.0 * t[1], two_stage_flops);
  };
  return with_exchange<openmp::RankPart, Form>(e);
}

}  // namespace parity::diffusion::temporal_exchange
