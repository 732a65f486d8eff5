// SPDX-License-Identifier: BSD-3-Clause
// The tables of the launch study.
#pragma once
#include <string>
#include <vector>

#include "launch/problem.hpp"
#include "study/measure.hpp"

namespace parity::commands {

/// One figure: each variant with its interval, what a portable one costs over its native twin, and the check.
void print_launch_table(const launch::Problem& problem, const study::Measured& measured);

std::string launch_csv(const std::vector<study::Row>& rows);

}  // namespace parity::commands
