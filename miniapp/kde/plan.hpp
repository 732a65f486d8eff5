// SPDX-License-Identifier: BSD-3-Clause
// The axes of a KDE plan.
#pragma once
#include <vector>

#include "kde/problem.hpp"
#include "study/toml_table.hpp"

namespace parity::kde {

/// The product of the axes n, bandwidth, distribution, precision, tolerance and seed. Throws
/// study::UsageError.
std::vector<Problem> problems_of(study::Table& axes);

}  // namespace parity::kde
