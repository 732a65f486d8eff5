// SPDX-License-Identifier: BSD-3-Clause
// Prints what records of launches say.
#pragma once
#include "analysis/launch_findings.hpp"

namespace parity::commands {

void print_launch_findings(const analysis::LaunchFindings& found);

}  // namespace parity::commands
