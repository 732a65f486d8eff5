// SPDX-License-Identifier: BSD-3-Clause
// Records the variants that a test could run here.
#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace parity::test {

struct Tried {
  int count = 0;
  std::string reason = "nothing fits";
  /// Counts variants that can run.
  bool can(const std::optional<std::string>& why_not) {
    if (why_not)
      reason = *why_not;
    else
      ++count;
    return !why_not;
  }
  /// Skips a test without a variant that can run.
  void end() const {
    if (count == 0) GTEST_SKIP() << reason;
  }
};

/// A name in GoogleTest's syntax.
inline std::string plain_name(std::string name) {
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
inline constexpr auto name_of_case = [](const auto& info) { return plain_name(info.param); };

}  // namespace parity::test
