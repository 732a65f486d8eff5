// SPDX-License-Identifier: BSD-3-Clause
// Which launch variants the user's words select, and which of them have a figure here.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "launch/variant.hpp"
#include "study/selection.hpp"

namespace parity::launch {

struct Selected {
  const Entry* entry;
  bool named = false;  ///< by its whole name, not by a pattern
  std::string name() const { return entry->name; }
};

/// Resolves names and globs such as "cuda-*". Throws study::UsageError with the nearest names.
std::vector<Selected> select(const std::vector<Entry>& registry, const std::vector<std::string>& words);

/// Those of 'selected' that have the problem's figure, and those that were named though they have not (they
/// are refused with the reason later).
std::vector<Selected> those_for(const std::vector<Selected>& selected, const Problem& problem);

/// Why the selected variant cannot do this here; nullopt when it can.
std::optional<std::string> why_not(const Selected& selected, const Problem& problem);

}  // namespace parity::launch
