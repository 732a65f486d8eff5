// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "commands/commands.hpp"

namespace parity::commands {

/// parity scaling: the model of scaling beside rows of several ranks.
Action add_scaling(CLI::App& app);

}  // namespace parity::commands
