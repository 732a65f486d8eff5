// SPDX-License-Identifier: BSD-3-Clause
// The axes of a launch plan.
#pragma once
#include <vector>

#include "launch/problem.hpp"
#include "study/toml_table.hpp"

namespace parity::launch {

/// The product of the axes quantity, blocks, threads, argument_bytes, launches, units, unit_ns, unit,
/// topology, devices and bytes. Throws study::UsageError.
std::vector<Problem> problems_of(study::Table& axes);

}  // namespace parity::launch
