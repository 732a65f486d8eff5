// SPDX-License-Identifier: BSD-3-Clause
// A user's samples, put where Kokkos computes when that is first needed.
#include "density/kokkos/sums_on_device.hpp"

namespace parity::density {

double Samples::total() const { return summary_of(x, w).total; }

SampleSet::SampleSet(const Samples& samples, Stages* stages)
    : samples_(samples), summary_(summary_of(samples.x, samples.w)), stages_(stages) {}
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
