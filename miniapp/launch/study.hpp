// SPDX-License-Identifier: BSD-3-Clause
// The launch study that the harness runs.
#pragma once
#include "harness/study.hpp"
#include "launch/variant.hpp"

namespace parity::launch {

using LaunchStudy = harness::StudyOf<Problem, Entry>;
const LaunchStudy& study();

/// Resets all parameters that do not affect the problem's quantity, so that a product of axes measures
/// nothing twice.
Problem canonical(const Problem& problem);

}  // namespace parity::launch
