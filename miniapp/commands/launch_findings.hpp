// SPDX-License-Identifier: BSD-3-Clause
// Prints what the launch study found.
#pragma once
#include "launch/findings.hpp"

namespace parity::commands {

void print_launch_findings(const launch::Findings& found);

}  // namespace parity::commands
