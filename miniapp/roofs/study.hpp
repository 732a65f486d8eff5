// SPDX-License-Identifier: BSD-3-Clause
// The roofs study as the harness sees it.
#pragma once
#include "harness/study.hpp"
#include "roofs/variant.hpp"

namespace parity::roofs {

const harness::StudyOf<Problem, Entry>& study();

}  // namespace parity::roofs
