// SPDX-License-Identifier: BSD-3-Clause
// The axes of a diffusion plan.
#pragma once
#include <vector>

#include "diffusion/problem.hpp"
#include "study/toml_table.hpp"

namespace parity::diffusion {

/// The product of the axes size, steps, alpha, halo, precision and seed. Throws study::UsageError.
std::vector<Problem> problems_of(study::Table& axes);

}  // namespace parity::diffusion
