// SPDX-License-Identifier: BSD-3-Clause
// The triad study as the harness sees it.
#pragma once
#include "harness/study.hpp"
#include "variant.hpp"

namespace parity::triad {

const harness::StudyOf<Problem, Entry>& study();

}  // namespace parity::triad
