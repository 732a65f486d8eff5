// SPDX-License-Identifier: BSD-3-Clause
// The KDE study as the harness sees it.
#pragma once
#include "harness/study.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

using KdeStudy = harness::StudyOf<Problem, Entry>;
const KdeStudy& study();

/// The metric of a run that reuses what was prepared: the median of as many samples, in us, by the host's
/// clock around advance_prepared and synchronise.
constexpr const char* prepared_time = "prepared_time";

const Entry& entry_of(const harness::Choice& choice);

}  // namespace parity::kde
