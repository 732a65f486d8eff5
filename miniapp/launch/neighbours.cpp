// SPDX-License-Identifier: BSD-3-Clause
#include "launch/neighbours.hpp"

#include <fmt/format.h>

namespace parity::launch {

std::string Neighbours::excuse(bool alone, bool scattered) const {
  if (!alone && disturbed_ > 0)
    return fmt::format("others had the processor in {} of {} samples", disturbed_, samples_);
  if (!scattered) return "";
  const std::optional<double> now = runtime::stolen_seconds();
  const double stolen = now && stolen_ ? *now - *stolen_ : 0;
  return stolen > 0 ? fmt::format("a hypervisor took {:.2f} s of the processors' time meanwhile", stolen)
                    : "";
}

}  // namespace parity::launch
