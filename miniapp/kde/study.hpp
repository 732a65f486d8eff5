// SPDX-License-Identifier: BSD-3-Clause
// The KDE study that the harness runs.
#pragma once
#include "harness/study.hpp"
#include "kde/variant.hpp"

namespace parity::kde {

using KdeStudy = harness::StudyOf<Problem, Entry>;
const KdeStudy& study();

/// Metric of an advance that reuses the preparation: the median over the samples, in us, measured with the
/// host's clock around advance_prepared and synchronise.
constexpr const char* prepared_time = "prepared_time";

const Entry& entry_of(const harness::Choice& choice);

}  // namespace parity::kde
