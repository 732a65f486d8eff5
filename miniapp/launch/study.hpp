// SPDX-License-Identifier: BSD-3-Clause
// The launch study as the harness sees it.
#pragma once
#include "harness/study.hpp"
#include "launch/variant.hpp"

namespace parity::launch {

using LaunchStudy = harness::StudyOf<Problem, Entry>;
const LaunchStudy& study();

/// The problem with everything at its default that does not bear on its quantity, so that a product of axes
/// holds each measurement once.
Problem canonical(const Problem& problem);

}  // namespace parity::launch
