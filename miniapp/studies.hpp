// SPDX-License-Identifier: BSD-3-Clause
// The list of studies.
#pragma once
#include "harness/study.hpp"

namespace parity {

/// All studies of this build, in the order of 'parity list'. A plan that names no study uses the first.
const harness::Studies& studies();

}  // namespace parity
