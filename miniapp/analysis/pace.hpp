// SPDX-License-Identifier: BSD-3-Clause
// How long a traced program's step takes while nothing of it is recorded, and its launches are only counted.
#pragma once
#include <optional>

#include "analysis/steps.hpp"

namespace parity::analysis {

struct Pace {
  Spent step;               ///< seconds
  std::size_t samples = 0;  ///< parts of the time that these are the median of
  std::size_t steps = 0;    ///< in them
  bool to_the_end = false;  ///< a part is from the first launch to the end of the next wait for the device
};

/// From the windows in which launches were counted beside those that mostly recorded this step. Nothing where
/// there are none.
std::optional<Pace> undisturbed_pace(const Trace& trace, const Step& step);

}  // namespace parity::analysis
