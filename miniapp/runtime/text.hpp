// SPDX-License-Identifier: BSD-3-Clause
// Text for people: what of a file may be shown, the nearest name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace parity::runtime {

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Text from a file as a message may hold it: control characters and what is no UTF-8 as \xNN, and cut.
std::string shown(std::string_view text, std::size_t most = 60);

/// "; did you mean kokkos-fused?", the nearest; or "" when nothing is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace parity::runtime
