// SPDX-License-Identifier: BSD-3-Clause
// What a user's words select from a registry: a variant, how it is launched, a tuning.
#pragma once
#include <string>

#include "harness/entry.hpp"

namespace parity::harness {

struct Choice {
  const Entry* entry = nullptr;
  std::size_t mechanism = 0;        ///< place in the study's list; 0, the first, is the plain one
  std::string mechanism_name = {};  ///< as a user types it
  Tuning tuning = {};               ///< empty for a variant without one
  bool named = true;                ///< by its whole name, not by a pattern
  bool standard_tuning = false;     ///< nobody asked for another

  /// Kernel and mechanism, "cuda-fused-2d+graph-two"; a plain launch is not named.
  std::string variant() const { return entry->name + (mechanism == 0 ? "" : "+" + mechanism_name); }
  /// With the tuning, as a user types it.
  std::string name() const { return variant() + (tuning.empty() ? "" : "/" + to_string(tuning)); }
};

}  // namespace parity::harness
