// SPDX-License-Identifier: BSD-3-Clause
// The nearest name for a mistyped one.
#pragma once
#include <string>
#include <vector>

namespace parity::runtime {

/// Edits (insert, delete, replace) between two words; Levenshtein 1966.
int edit_distance(const std::string& a, const std::string& b);

/// "; did you mean kokkos-fused?", the nearest; or "" when nothing is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace parity::runtime
