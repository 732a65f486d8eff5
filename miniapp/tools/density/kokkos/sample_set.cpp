// SPDX-License-Identifier: BSD-3-Clause
// A user's samples, copied to Kokkos' memory when first needed.
#include "tools/density/kokkos/sums_on_device.hpp"
#include "tools/density/of_all_ranks.hpp"

namespace parity::density {

double Samples::total() const { return summary_of(x, w).total; }

SampleSet::SampleSet(const Samples& samples, Stages* stages)
    : samples_(samples),
      count_(std::int64_t(samples.x.size())),
      weighted_(!samples.w.empty()),
      stages_(stages) {
  std::vector<Summary> pieces = summaries_of_pieces(samples.x, samples.w);
  if (samples.shared) {
    pieces = of_all_ranks(pieces);
    count_ = count_of_all_ranks(count_);
    weighted_ = runtime::largest(weighted_ ? 1 : 0) > 0;  // a rank may have no samples
  }
  summary_ = joined_in_order(pieces);
}
SampleSet::~SampleSet() = default;

void SampleSet::reached(double done, double total, const char* unit) const {
  if (stages_)
    stages_->reached(done, total, unit);
  else
    runtime::stop_if_interrupted();
}

void SampleSet::whole_reached(double done, double total, const char* unit) const {
  if (stages_) stages_->whole_reached(done, total, unit);
}

const SampleSet::Placed& SampleSet::placed() const {
  if (!placed_) {
    if (compat::exec_is_device()) begin_stage("copy to the device");
    placed_ = std::make_unique<Placed>(*this);
  }
  return *placed_;
}

}  // namespace parity::density
