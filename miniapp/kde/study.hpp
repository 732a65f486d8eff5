// SPDX-License-Identifier: BSD-3-Clause
// The KDE study as the harness sees it.
#pragma once
#include "harness/study.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

using KdeStudy = harness::StudyOf<Problem, Entry>;
const KdeStudy& study();

/// Throws runtime::UsageError naming the option and its range.
void validate(const Problem& problem);

const Entry& entry_of(const harness::Choice& choice);

}  // namespace parity::kde
