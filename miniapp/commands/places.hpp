// SPDX-License-Identifier: BSD-3-Clause
// Outputs of a command must not be one file, nor one that it reads.
#pragma once
#include <string>
#include <vector>

namespace parity::commands {

struct Place {
  std::string option, name;  ///< an empty name: not asked for
};

/// Throws runtime::UsageError where two outputs go to the same place, or where one would replace an input:
/// what was measured cannot be measured again. inputs: files, or folders of results.
void require_apart(const std::vector<Place>& outputs, const std::vector<std::string>& inputs = {});

}  // namespace parity::commands
