// SPDX-License-Identifier: BSD-3-Clause
// What C++17's strings lack.
#pragma once
#include <string>

namespace parity::runtime {

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace parity::runtime
