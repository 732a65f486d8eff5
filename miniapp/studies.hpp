// SPDX-License-Identifier: BSD-3-Clause
// The list of studies.
#pragma once
#include "harness/study.hpp"

namespace parity {

/// Every study of this build, in the order of 'parity list'. The first is meant where a plan names none.
const harness::Studies& studies();

}  // namespace parity
